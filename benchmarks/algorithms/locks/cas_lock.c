// fencepost: model=rc11 expect=pass executions=6
// fencepost: model=tso expect=pass executions=6
// fencepost: model=rc11 flags=-DUNLOCK=rlx expect=fail kind=race line=34
// A spin lock taken by compare-exchange.
#include "../check.h"
#ifndef UNLOCK
#define UNLOCK rel
#endif
atomic_int held;
static void *thread(void *i) {
  int expected;
  do {
    expected = 0;
  } while (!cas(&held, &expected, 1, acq));
  critical_section();
  store(&held, 0, UNLOCK);
  return NULL;
}
int main(void) {
  run(thread, 3);
  assert(shared == 3);
}
