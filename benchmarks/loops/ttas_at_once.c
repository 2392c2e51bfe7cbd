// fencepost: model=rc11 flags=-DN=3 expect=pass blocked=0
// Test and test-and-set in one condition.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x; int data;
void *user(void *unused) {
  while (atomic_load_explicit(&x, memory_order_relaxed) || atomic_exchange_explicit(&x, 1, memory_order_acquire)) ;
  data++;
  atomic_store_explicit(&x, 0, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
