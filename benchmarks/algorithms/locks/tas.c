// fencepost: model=rc11 expect=pass executions=6
// fencepost: model=sc expect=pass executions=6
// fencepost: model=rc11 flags=-DLOCK=rlx expect=fail kind=race line=34
// A spin lock of one atomic_flag.
#include "../check.h"
#ifndef LOCK
#define LOCK acq
#endif
atomic_flag held = ATOMIC_FLAG_INIT;
static void *thread(void *i) {
  while (atomic_flag_test_and_set_explicit(&held, LOCK)) { }
  critical_section();
  atomic_flag_clear_explicit(&held, rel);
  return NULL;
}
int main(void) {
  run(thread, 3);
  assert(shared == 3);
}
