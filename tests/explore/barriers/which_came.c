// The counter of a barrier is read when threads may have arrived: that one has come does not tell which.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
pthread_barrier_t b;
atomic_int on_its_way;
void *first(void *unused) { on_its_way = 1; pthread_barrier_wait(&b); return 0; }
void *second(void *unused) { pthread_barrier_wait(&b); return 0; }
void *look(void *unused) {
  if (__atomic_load_n((long *)((char *)&b + 8), __ATOMIC_SEQ_CST) == 1) assert(on_its_way);
  return 0;
}
int main(void) {
  pthread_t t[3];
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_create(&t[2], 0, look, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
