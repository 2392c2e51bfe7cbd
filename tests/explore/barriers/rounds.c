// N threads meet R times.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
pthread_barrier_t b;
atomic_int x[N];
void *meet(void *p) {
  int i = (int)(long)p;
  for (int k = 1; k <= R; k++) {
    atomic_store_explicit(&x[i], k, memory_order_relaxed);
    pthread_barrier_wait(&b);
    assert(atomic_load_explicit(&x[(i + 1) % N], memory_order_relaxed) >= k);
    pthread_barrier_wait(&b);
  }
  return 0;
}
int main(void) {
  pthread_t t[N];
  pthread_barrier_init(&b, 0, COUNT);
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, meet, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  pthread_barrier_destroy(&b);
  return 0;
}
