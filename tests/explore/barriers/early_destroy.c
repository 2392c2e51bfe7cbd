// A thread may still be on its way to the barrier when it is destroyed.
#include <pthread.h>
pthread_barrier_t b;
void *meet(void *unused) { pthread_barrier_wait(&b); return 0; }
int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&b, 0, 2);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, meet, 0);
  pthread_barrier_destroy(&b);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  return 0;
}
