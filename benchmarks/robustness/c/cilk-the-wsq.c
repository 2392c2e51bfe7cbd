// The THE protocol of Cilk-5 (M. Frigo, C. Leiserson, K. Randall, "The implementation of the Cilk-5 multithreaded language",
// 1998, Figure 5): the worker pushes and pops at the tail, the thief steals at the head and always takes the lock.
#include "threads.h"

#define ROUNDS 4

static atomic_int T = ROUNDS, H = ROUNDS;
static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;

static void push(void)
{
  store(&T, load(&T) + 1);
}

static bool pop(void)
{
  store(&T, load(&T) - 1);
  FENCE_TSO();
  if (load(&H) > load(&T)) {
    store(&T, load(&T) + 1);
    pthread_mutex_lock(&L);
    store(&T, load(&T) - 1);
    if (load(&H) > load(&T)) {
      store(&T, load(&T) + 1);
      pthread_mutex_unlock(&L);
      return false;
    }
    pthread_mutex_unlock(&L);
  }
  return true;
}

static bool steal(void)
{
  pthread_mutex_lock(&L);
  store(&H, load(&H) + 1);
  FENCE_TSO();
  if (load(&H) > load(&T)) {
    store(&H, load(&H) - 1);
    pthread_mutex_unlock(&L);
    return false;
  }
  pthread_mutex_unlock(&L);
  return true;
}

static void *worker(void *arg)
{
  for (int round = 0; round < ROUNDS; round++)
    if (fencepost_choose(0, 1))
      push();
    else
      pop();
  return NULL;
}

static void *thief(void *arg)
{
  for (;;)
    steal();
  return NULL;
}

int main(void)
{
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, worker, NULL);
  pthread_create(&threads[1], NULL, thief, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}
