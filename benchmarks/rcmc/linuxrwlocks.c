// linuxrwlocks(N): of N threads, every other reads a shared variable under the reader lock, the rest write it under the
// writer lock.
// The lock is the one of old Linux kernels: a bias that a reader takes one of and a writer all of.
#include "frame.h"
#define BIAS 0x100000
static atomic_int lock = BIAS;
static int variable;
static void read_lock(void) {
  while (fsub(&lock, 1, acq) <= 0) {
    fadd(&lock, 1, rlx);
    wait_until(load(&lock, rlx) > 0);
  }
}
static void read_unlock(void) { fadd(&lock, 1, rel); }
static void write_lock(void) {
  while (fsub(&lock, BIAS, acq) != BIAS) {
    fadd(&lock, BIAS, rlx);
    wait_until(load(&lock, rlx) == BIAS);
  }
}
static void write_unlock(void) { fadd(&lock, BIAS, rel); }
static void *thread(void *i) {
  int seen = 0;
  if ((intptr_t)i % 2) {
    read_lock();
    seen = variable;
    read_unlock();
  } else {
    write_lock();
    variable = (int)(intptr_t)i;
    write_unlock();
  }
  return (void *)(intptr_t)seen;
}
int main(void) { run(thread, N); }
