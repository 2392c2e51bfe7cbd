// A thread that publishes its own name is not like the others.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int count;
pthread_t winner;
void *work(void *unused) {
  if (atomic_fetch_add(&count, 1) == 0) winner = pthread_self();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(winner == a);
}
