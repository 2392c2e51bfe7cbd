// fencepost: model=rc11 expect=pass executions=4
// fencepost: model=tso expect=pass executions=4
// fencepost: model=rc11 flags=-DORDER=rel expect=fail kind=race line=34
// Peterson's algorithm for release/acquire: the turn is exchanged, not stored (Williams).
#include "../check.h"
#ifndef ORDER
#define ORDER acq_rel
#endif
static atomic_int wants[2], turn;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  store(&wants[me], 1, rlx);
  xchg(&turn, other, ORDER);
  while (load(&wants[other], acq) && load(&turn, rlx) == other) { }
  critical_section();
  store(&wants[me], 0, rel);
  return NULL;
}
int main(void) {
  run(thread, 2);
  assert(shared == 2);
}
