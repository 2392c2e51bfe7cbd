// fencepost: model=rc11 flags=-DN=2 expect=pass blocked=0
// The reader-writer lock of old Linux kernels (as in CDSChecker's benchmarks): each thread reads, then writes.
#include <pthread.h>
#include <stdatomic.h>
#define BIAS 0x100000
static atomic_int lock = BIAS;
static int variable;
static void read_lock(void) {
  int prior = atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire);
  while (prior <= 0) {
    atomic_fetch_add_explicit(&lock, 1, memory_order_relaxed);
    while (atomic_load_explicit(&lock, memory_order_relaxed) <= 0) ;
    prior = atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire);
  }
}
static void read_unlock(void) { atomic_fetch_add_explicit(&lock, 1, memory_order_release); }
static void write_lock(void) {
  int prior = atomic_fetch_sub_explicit(&lock, BIAS, memory_order_acquire);
  while (prior != BIAS) {
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_relaxed);
    while (atomic_load_explicit(&lock, memory_order_relaxed) != BIAS) ;
    prior = atomic_fetch_sub_explicit(&lock, BIAS, memory_order_acquire);
  }
}
static void write_unlock(void) { atomic_fetch_add_explicit(&lock, BIAS, memory_order_release); }
void *user(void *unused) {
  read_lock(); int seen = variable; read_unlock();
  write_lock(); variable = 1; write_unlock();
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
