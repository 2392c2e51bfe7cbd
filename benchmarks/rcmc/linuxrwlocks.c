// linuxrwlocks(N): the reader-writer lock of Linux before 2.6.37 (arch/x86/include/asm/rwlock.h), used as CDSChecker's benchmark
// does (B. Norris, B. Demsky, OOPSLA 2013): each of N threads takes the read lock and looks at a shared variable, then takes
// the write lock and sets it. A reader takes one of a bias, a writer all of it; who finds too little left waits.
#include "frame.h"
#define BIAS 0x00100000
static atomic_int lock = BIAS;
static int variable;
static void read_lock(void) { wait_until(fsub(&lock, 1, acq) > 0); }
static void read_unlock(void) { fadd(&lock, 1, rel); }
static void write_lock(void) { wait_until(fsub(&lock, BIAS, acq) == BIAS); }
static void write_unlock(void) { fadd(&lock, BIAS, rel); }
static void *thread(void *i) {
  read_lock();
  int seen = variable;
  read_unlock();
  write_lock();
  variable = (int)(intptr_t)i;
  write_unlock();
  return (void *)(intptr_t)seen;
}
int main(void) { run(thread, N); }
