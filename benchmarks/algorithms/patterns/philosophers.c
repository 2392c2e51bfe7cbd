// fencepost: model=rc11 expect=pass executions=6
// fencepost: model=sc expect=pass executions=6
// fencepost: model=rc11 flags=-DSAME_HAND expect=fail kind=deadlock line=16
// Three dining philosophers. With the same hand first they starve.
#include "../check.h"
#define SEATS 3
static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *thread(void *arg) {
  int left = (int)(intptr_t)arg, right = (left + 1) % SEATS;
#ifdef SAME_HAND
  int first = left, second = right;
#else
  int first = left < right ? left : right, second = left < right ? right : left;
#endif
  pthread_mutex_lock(&forks[first]);
  pthread_mutex_lock(&forks[second]);
  pthread_mutex_unlock(&forks[second]);
  pthread_mutex_unlock(&forks[first]);
  return NULL;
}
int main(void) { run(thread, SEATS); }
