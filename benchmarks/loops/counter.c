// fencepost: model=rc11 flags=-DN=4 expect=pass blocked=0
// A counter by compare-exchange, which goes on with what the failed exchange found.
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
void *user(void *unused) {
  int c = atomic_load_explicit(&x, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&x, &c, c + 1, memory_order_acq_rel, memory_order_relaxed)) ;
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  assert(x == N);
  return 0;
}
