// Who passes a barrier may find that another has arrived again. What that one read in between may still be something else.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
pthread_barrier_t b;
atomic_int x;
void *look(void *unused) {
  pthread_barrier_wait(&b);
  int r = atomic_load_explicit(&x, memory_order_relaxed);
  pthread_barrier_wait(&b);
  assert(r == 0);
  return 0;
}
void *meet(void *unused) { pthread_barrier_wait(&b); pthread_barrier_wait(&b); return 0; }
void *store(void *unused) { atomic_store_explicit(&x, 1, memory_order_relaxed); return 0; }
int main(void) {
  pthread_t t[3];
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&t[0], 0, look, 0);
  pthread_create(&t[1], 0, meet, 0);
  pthread_create(&t[2], 0, store, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
