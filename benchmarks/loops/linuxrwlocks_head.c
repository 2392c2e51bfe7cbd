// fencepost: model=rc11 flags=-DN=2 expect=pass blocked=0
// The reader-writer lock of old Linux kernels, as linuxrwlocks_both.c, with each attempt at the head of its loop.
#include <pthread.h>
#include <stdatomic.h>
#define BIAS 0x100000
static atomic_int lock = BIAS;
static int variable;
static void take(int n, int least) {
  for (;;) {
    if (atomic_fetch_sub_explicit(&lock, n, memory_order_acquire) >= least) return;
    atomic_fetch_add_explicit(&lock, n, memory_order_relaxed);
    while (atomic_load_explicit(&lock, memory_order_relaxed) < least) ;
  }
}
static void give(int n) { atomic_fetch_add_explicit(&lock, n, memory_order_release); }
void *user(void *unused) {
  take(1, 1); int seen = variable; give(1);
  take(BIAS, BIAS); variable = 1; give(BIAS);
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
