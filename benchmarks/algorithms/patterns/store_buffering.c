// fencepost: model=rc11 expect=pass executions=3
// fencepost: model=tso expect=pass executions=3
// fencepost: model=rc11 flags=-DFENCE=acq_rel expect=fail kind=assertion line=18
// fencepost: model=tso flags=-DFENCE=acq_rel expect=fail kind=assertion line=18
// Two threads raise a flag and look at the other's: at least one must see the other.
#include "../check.h"
#ifndef FENCE
#define FENCE sc
#endif
static atomic_int flag[2], saw[2];
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg;
  store(&flag[me], 1, rlx);
  fence(FENCE);
  store(&saw[me], load(&flag[1 - me], rlx), rlx);
  return NULL;
}
int main(void) { run(thread, 2); assert(load(&saw[0], rlx) || load(&saw[1], rlx)); }
