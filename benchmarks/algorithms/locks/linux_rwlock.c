// fencepost: model=rc11 expect=pass executions=2
// fencepost: model=tso expect=pass executions=2
// fencepost: model=rc11 flags=-DREAD_UNLOCK=rlx expect=fail kind=race line=34
// fencepost: model=rc11 flags=-DWRITE_LOCK=rlx expect=fail kind=race line=34
// A read-write lock after Linux: a bias that readers take one of and a writer all of.
#include "../check.h"
#ifndef READ_UNLOCK
#define READ_UNLOCK rel
#endif
#ifndef WRITE_LOCK
#define WRITE_LOCK acq
#endif
#define BIAS 0x100000
static atomic_int lock = BIAS;
static void read_lock(void) {
  while (fsub(&lock, 1, acq) <= 0) {
    fadd(&lock, 1, rlx);
    while (load(&lock, rlx) <= 0) { }
  }
}
static void read_unlock(void) { fadd(&lock, 1, READ_UNLOCK); }
static void write_lock(void) {
  while (fsub(&lock, BIAS, WRITE_LOCK) != BIAS) {
    fadd(&lock, BIAS, rlx);
    while (load(&lock, rlx) != BIAS) { }
  }
}
static void write_unlock(void) { fadd(&lock, BIAS, rel); }
static void *thread(void *i) {
  if ((intptr_t)i == 0) {
    write_lock();
    critical_section();
    write_unlock();
  } else {
    read_lock();
    int seen = shared;
    assert(seen == 0 || seen == 1);
    read_unlock();
  }
  return NULL;
}
int main(void) { run(thread, 2); }
