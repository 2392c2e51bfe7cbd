// The reader-writer lock of Linux before 2.6.37 (arch/x86/include/asm/rwlock.h), as CDSChecker's benchmark uses it
// (B. Norris, B. Demsky, OOPSLA 2013): each of N threads takes the read lock and then the write lock.
#include "frame.h"
#ifndef N
#define N 2
#endif
#define BIAS 0x00100000
static atomic_int lock = BIAS;
static int shared_data;
static void read_lock(void) {
  int prior = atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire);
  while (prior <= 0) {
    atomic_fetch_add_explicit(&lock, 1, memory_order_relaxed);
    while (atomic_load_explicit(&lock, memory_order_relaxed) <= 0) {
    }
    prior = atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire);
  }
}
static void write_lock(void) {
  int prior = atomic_fetch_sub_explicit(&lock, BIAS, memory_order_acquire);
  while (prior != BIAS) {
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_relaxed);
    while (atomic_load_explicit(&lock, memory_order_relaxed) != BIAS) {
    }
    prior = atomic_fetch_sub_explicit(&lock, BIAS, memory_order_acquire);
  }
}
static void *thread(void *arg) {
  read_lock();
  volatile int seen = shared_data;
  (void)seen;
  atomic_fetch_add_explicit(&lock, 1, memory_order_release);
  write_lock();
  shared_data = (int)(intptr_t)arg;
  atomic_fetch_add_explicit(&lock, BIAS, memory_order_release);
  return NULL;
}
int main(void) { start(N, thread); }
