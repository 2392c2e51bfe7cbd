// fencepost: model=rc11 expect=pass executions=16
// fencepost: model=tso expect=pass executions=16
// fencepost: model=rc11 flags=-DARRIVE=rlx expect=fail kind=race line=33
// fencepost: model=rc11 flags=-DNO_SENSE expect=fail kind=assertion line=33
// A barrier that turns its sense around, passed twice. NO_SENSE only counts, so that the second round does not wait.
#include "../check.h"
#ifndef ARRIVE
#define ARRIVE acq_rel
#endif
#define THREADS 2
static atomic_int count;
static atomic_bool sense;
static int data[THREADS];
static void barrier(bool *mine) {
  *mine = !*mine;
  if (fadd(&count, 1, ARRIVE) == THREADS - 1) {
    store(&count, 0, rlx);
    store(&sense, *mine, rel);
  } else {
#ifdef NO_SENSE
    while (!load(&sense, acq)) { }
#else
    while (load(&sense, acq) != *mine) { }
#endif
  }
}
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg;
  bool mine = false;
  for (int round = 1; round <= 2; round++) {
    data[me] = round;
    barrier(&mine);
    assert(data[1 - me] == round);
    barrier(&mine);
  }
  return NULL;
}
int main(void) { run(thread, THREADS); }
