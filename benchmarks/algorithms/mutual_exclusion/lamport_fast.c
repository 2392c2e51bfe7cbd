// fencepost: model=rc11 unroll=2 expect=pass executions=16
// fencepost: model=sc unroll=2 expect=pass executions=16
// fencepost: model=sc flags=-DNO_SECOND_TEST unroll=2 expect=fail kind=assertion line=41
// fencepost: model=rc11 flags=-DORDER=acq_rel unroll=2 expect=fail kind=race line=34
// Lamport's fast mutual exclusion: seven accesses when nobody else wants in.
#include "../check.h"
#include "../orders.h"
#define THREADS 2
static atomic_int b[THREADS + 1], x, y;
static int entered;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg + 1;
again:
  store(&b[me], 1, STORE);
  store(&x, me, STORE);
  if (load(&y, LOAD) != 0) {
    store(&b[me], 0, STORE);
    while (load(&y, LOAD) != 0) { }
    goto again;
  }
  store(&y, me, STORE);
#ifndef NO_SECOND_TEST
  if (load(&x, LOAD) != me) {
    store(&b[me], 0, STORE);
    for (int k = 1; k <= THREADS; k++)
      while (load(&b[k], LOAD)) { }
    if (load(&y, LOAD) != me) {
      while (load(&y, LOAD) != 0) { }
      goto again;
    }
  }
#endif
  critical_section();
  entered++;
  store(&y, 0, STORE);
  store(&b[me], 0, STORE);
  return NULL;
}
int main(void) {
  run(thread, THREADS);
  assert(shared == entered);
}
