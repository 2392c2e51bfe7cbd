// fencepost: model=rc11 expect=pass executions=6
// fencepost: model=tso expect=pass executions=6
// fencepost: model=sc expect=pass executions=6
// fencepost: model=rc11 flags=-DUNLOCK=rlx expect=fail kind=race line=34
// fencepost: model=rc11 flags=-DLOCK=rlx expect=fail kind=race line=34
// Test and test-and-set: spin on a read, then try to take it.
#include "../check.h"
#ifndef LOCK
#define LOCK acq
#endif
#ifndef UNLOCK
#define UNLOCK rel
#endif
atomic_int held;
static void lock(void) {
  do {
    while (load(&held, rlx)) { }
  } while (xchg(&held, 1, LOCK));
}
static void unlock(void) { store(&held, 0, UNLOCK); }
static void *thread(void *i) {
  lock();
  critical_section();
  unlock();
  return NULL;
}
int main(void) {
  run(thread, 3);
  assert(shared == 3);
}
