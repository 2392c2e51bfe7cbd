// A Java-like park and unpark: the permit is handed over in a plain variable behind a condition variable. Without a fence the
// one who parks may find the permit without waiting, and then not see what was written before unpark.
#include "fences.h"

static atomic_int counter;
static atomic_int data;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void park(void) {
  if (LOAD(counter) > 0) {
    STORE(counter, 0);
    FENCE();
    return;
  }
  if (pthread_mutex_trylock(&mutex) != 0)
    return;
  if (LOAD(counter) > 0) {
    STORE(counter, 0);
    pthread_mutex_unlock(&mutex);
    return;
  }
  pthread_cond_wait(&cond, &mutex);
  STORE(counter, 0);
  pthread_mutex_unlock(&mutex);
}

static void unpark(void) {
  pthread_mutex_lock(&mutex);
  int before = LOAD(counter);
  STORE(counter, 1);
  if (before < 1)
    pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
}

static void *waiter(void *arg) {
  while (!LOAD(data))
    park();
  return 0;
}

static void *waker(void *arg) {
  STORE(data, 1);
  FENCE();
  unpark();
  return 0;
}

int main(void) { run(waiter, waker); }
