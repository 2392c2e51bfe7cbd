// Three threads at a barrier for two: who is left out waits for ever, and it can be any of them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
pthread_barrier_t b;
atomic_int passed[3];
void *meet(void *p) { pthread_barrier_wait(&b); passed[(long)p] = 1; return 0; }
int main(void) {
  pthread_t t[3];
  pthread_barrier_init(&b, 0, 2);
  for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, meet, (void *)i);
  assert(!(passed[1] && passed[2]));
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
