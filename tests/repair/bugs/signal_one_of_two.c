// repair: fails=deadlock
#include <pthread.h>
#include <stdbool.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static bool started;
static void *runner(void *a) {
  pthread_mutex_lock(&m);
  while (!started)
    pthread_cond_wait(&go, &m);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t r1, r2;
  pthread_create(&r1, 0, runner, 0);
  pthread_create(&r2, 0, runner, 0);
  pthread_mutex_lock(&m);
  started = true;
  pthread_cond_signal(&go);
  pthread_mutex_unlock(&m);
  pthread_join(r1, 0);
  pthread_join(r2, 0);
}
