// fencepost: model=rc11 unroll=3 expect=pass executions=1
// fencepost: model=tso unroll=3 expect=pass executions=1
// fencepost: model=rc11 flags=-DORDER=rlx unroll=3 expect=fail kind=race line=18
// PostgreSQL's latch, two processes that pass a token: reset the latch, do the work, hand over.
#include "../check.h"
#ifndef ORDER
#define ORDER acq_rel
#endif
#define LOAD (ORDER == rlx ? rlx : acq)
#define STORE (ORDER == rlx ? rlx : rel)
static atomic_int latch[2] = {1, 0}, turn[2] = {1, 0};
static int work;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg;
  while (!load(&latch[me], LOAD)) { }
  store(&latch[me], 0, rlx);
  if (load(&turn[me], LOAD)) {
    work++;
    store(&turn[me], 0, rlx);
    store(&turn[1 - me], 1, STORE);
    store(&latch[1 - me], 1, STORE);
  }
  return NULL;
}
int main(void) {
  run(thread, 2);
  assert(work == 2);
}
