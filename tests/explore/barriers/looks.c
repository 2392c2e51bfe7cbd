// The counter of a barrier is read as data while threads arrive: how many came first is seen.
#include <assert.h>
#include <pthread.h>
#include <string.h>
pthread_barrier_t b;
void *meet(void *unused) { pthread_barrier_wait(&b); return 0; }
int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&b, 0, 2);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, meet, 0);
  long seen = __atomic_load_n((long *)((char *)&b + 8), __ATOMIC_RELAXED);
  assert(seen != 1);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
