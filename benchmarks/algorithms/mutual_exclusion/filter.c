// fencepost: model=sc expect=pass executions=447
// fencepost: model=rc11 expect=pass executions=447
// fencepost: model=sc flags=-DLEVELS=1 expect=fail kind=assertion line=31
// fencepost: model=rc11 flags=-DORDER=acq_rel expect=fail kind=race line=34
// The filter lock: Peterson's algorithm for three threads. With one level it lets two of them in.
#include "../check.h"
#include "../orders.h"
#define THREADS 3
#ifndef LEVELS
#define LEVELS (THREADS - 1)
#endif
static atomic_int level[THREADS], last[THREADS];
static bool must_wait(int me, int l) {
  for (int k = 0; k < THREADS; k++)
    if (k != me && load(&level[k], LOAD) >= l) return load(&last[l], LOAD) == me;
  return false;
}
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg;
  for (int l = 1; l <= LEVELS; l++) {
    store(&level[me], l, STORE);
    store(&last[l], me, STORE);
    while (must_wait(me, l)) { }
  }
  critical_section();
  store(&level[me], 0, STORE);
  return NULL;
}
int main(void) {
  run(thread, THREADS);
  assert(shared == THREADS);
}
