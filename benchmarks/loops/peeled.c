// fencepost: model=rc11 flags=-DN=3 expect=pass blocked=0
// A wait whose first round the compiler has put in front of the loop.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *waiter(void *unused) {
  int seen = atomic_load_explicit(&x, memory_order_acquire);
  if (seen != 2) {
    do seen = atomic_load_explicit(&x, memory_order_acquire); while (seen != 2);
  }
  return 0;
}
void *writer(void *unused) {
  for (int i = 0; i < N; i++) atomic_store_explicit(&x, 3 + i, memory_order_release);
  atomic_store_explicit(&x, 2, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t p[3];
  pthread_create(&p[0], 0, waiter, 0);
  pthread_create(&p[1], 0, waiter, 0);
  pthread_create(&p[2], 0, writer, 0);
  for (int i = 0; i < 3; i++) pthread_join(p[i], 0);
  return 0;
}
