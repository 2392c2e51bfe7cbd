// fencepost: model=rc11 unroll=3 expect=pass executions=3
// fencepost: model=tso unroll=3 expect=pass executions=3
// fencepost: model=rc11 flags=-DLOST unroll=3 expect=fail kind=deadlock line=15
// A parker after the JVM's: a permit, and a condition variable for those who wait. LOST signals without the mutex and
// tests the permit outside of it, so that the wakeup can fall between the test and the wait.
#include "../check.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_int permit;
static int data;
static void park(void) {
  if (xchg(&permit, 0, acq)) return;
  pthread_mutex_lock(&mutex);
#ifdef LOST
  pthread_cond_wait(&condition, &mutex);
  store(&permit, 0, rlx);
#else
  while (!xchg(&permit, 0, acq)) pthread_cond_wait(&condition, &mutex);
#endif
  pthread_mutex_unlock(&mutex);
}
static void unpark(void) {
#ifdef LOST
  store(&permit, 1, rel);
  pthread_cond_signal(&condition);
#else
  pthread_mutex_lock(&mutex);
  store(&permit, 1, rel);
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&condition);
#endif
}
static void *thread(void *arg) {
  if ((intptr_t)arg == 0) {
    data = 1;
    unpark();
  } else {
    park();
    assert(data == 1);
  }
  return NULL;
}
int main(void) { run(thread, 2); }
