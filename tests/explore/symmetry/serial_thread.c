// Any of the threads at a barrier may be the one that is told so.
#include <assert.h>
#include <pthread.h>
pthread_barrier_t barrier;
int who;
void *work(void *number) {
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) who = (int)(long)number;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&a, 0, work, (void *)1);
  pthread_create(&b, 0, work, (void *)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(who == 2);
}
