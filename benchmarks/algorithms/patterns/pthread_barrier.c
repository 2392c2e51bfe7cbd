// fencepost: model=rc11 expect=pass executions=6
// fencepost: model=sc expect=pass executions=6
// fencepost: model=rc11 flags=-DCOUNT=3 expect=fail kind=deadlock line=16
// fencepost: model=rc11 flags=-DONE_PHASE expect=fail kind=race line=17
// Two threads exchange values in phases that a pthread barrier separates.
#include "../check.h"
#ifndef COUNT
#define COUNT 2
#endif
static pthread_barrier_t barrier;
static int data[2];
static atomic_int told;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg;
  data[me] = me + 1;
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) fadd(&told, 1, rlx);
  int other = data[1 - me];
  assert(other == 2 - me);
#ifndef ONE_PHASE
  pthread_barrier_wait(&barrier);
#endif
  data[me] = other;
  return NULL;
}
int main(void) {
  pthread_barrier_init(&barrier, NULL, COUNT);
  run(thread, 2);
  assert(load(&told, rlx) == 1);
  pthread_barrier_destroy(&barrier);
}
