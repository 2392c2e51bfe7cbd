// fencepost: model=rc11 expect=pass executions=4
// fencepost: model=sc expect=pass executions=4
// fencepost: model=tso expect=pass executions=4
// fencepost: model=rc11 flags=-DORDER=acq_rel expect=fail kind=race line=34
// fencepost: model=tso flags=-DORDER=acq_rel expect=fail kind=assertion line=27
// fencepost: model=sc flags=-DTURN_FIRST expect=fail kind=assertion line=27
// Peterson's algorithm. TURN_FIRST gives the turn away before it asks, which is wrong on every machine.
#include "../check.h"
#include "../orders.h"
static atomic_int wants[2], turn;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
#ifdef TURN_FIRST
  store(&turn, other, STORE);
  store(&wants[me], 1, STORE);
#else
  store(&wants[me], 1, STORE);
  store(&turn, other, STORE);
#endif
  while (load(&wants[other], LOAD) && load(&turn, LOAD) == other) { }
  critical_section();
  store(&wants[me], 0, STORE);
  return NULL;
}
int main(void) {
  run(thread, 2);
  assert(shared == 2);
}
