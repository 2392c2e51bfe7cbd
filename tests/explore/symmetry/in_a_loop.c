// Started and joined in loops, under a lock.
#include <pthread.h>
#ifndef N
#define N 4
#endif
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared;
void *work(void *unused) {
  pthread_mutex_lock(&lock);
  shared = shared + 1;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; i++) pthread_create(&t[i], 0, work, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return shared != N;
}
