// fencepost: model=rc11 unroll=4 expect=pass
// fencepost: model=sc unroll=4 expect=pass
// fencepost: model=rc11 flags=-DIF unroll=4 expect=fail kind=assertion line=26
// fencepost: model=rc11 flags=-DSIGNAL_ONE unroll=4 expect=fail kind=deadlock line=20
// fencepost: model=rc11 flags=-DUNLOCKED unroll=4 expect=fail kind=race line=20
// A pool of two workers with a queue, a mutex and a condition variable. IF tests its condition once instead of in a loop;
// SIGNAL_ONE wakes one worker at the end instead of all; UNLOCKED adds a task without the mutex.
#include "../check.h"
#define WORKERS 2
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int tasks, done;
static bool closed;
static void *worker(void *arg) {
  for (;;) {
    pthread_mutex_lock(&mutex);
#ifdef IF
    if (!tasks && !closed) pthread_cond_wait(&work, &mutex);
#else
    while (!tasks && !closed) pthread_cond_wait(&work, &mutex);
#endif
    if (!tasks && closed) {
      pthread_mutex_unlock(&mutex);
      return NULL;
    }
    assert(tasks > 0);
    tasks--;
    done++;
    pthread_mutex_unlock(&mutex);
  }
}
int main(void) {
  pthread_t threads[WORKERS];
  for (int k = 0; k < WORKERS; k++) pthread_create(&threads[k], NULL, worker, NULL);
#ifdef UNLOCKED
  tasks++;
#else
  pthread_mutex_lock(&mutex);
  tasks++;
  pthread_mutex_unlock(&mutex);
#endif
  pthread_cond_broadcast(&work);
  pthread_mutex_lock(&mutex);
  closed = true;
  pthread_mutex_unlock(&mutex);
#ifdef SIGNAL_ONE
  pthread_cond_signal(&work);
#else
  pthread_cond_broadcast(&work);
#endif
  for (int k = 0; k < WORKERS; k++) pthread_join(threads[k], NULL);
  assert(tasks == 0 && done == 1);
}
