// fencepost: model=rc11 expect=pass executions=94
// fencepost: model=rc11 flags=-DOWNER_FIRST expect=fail kind=liveness line=11
// A recursive lock with an owner field that is read without the lock. OWNER_FIRST gives the lock up before the owner.
#include "../check.h"
static atomic_int held;
static atomic_int owner = -1;
static int depth;
static void lock(int me) {
  if (load(&owner, rlx) != me) {
    int expected;
    do {
      expected = 0;
    } while (!cas(&held, &expected, 1, acq));
    store(&owner, me, rlx);
  }
  depth++;
}
static void unlock(void) {
  if (--depth) return;
#ifdef OWNER_FIRST
  store(&held, 0, rel);
  store(&owner, -1, rlx);
#else
  store(&owner, -1, rlx);
  store(&held, 0, rel);
#endif
}
static void *thread(void *i) {
  int me = (int)(intptr_t)i;
  for (int round = 0; round < 2; round++) {
    lock(me);
    lock(me);
    critical_section();
    unlock();
    unlock();
  }
  return NULL;
}
int main(void) {
  run(thread, 2);
  assert(shared == 4);
}
