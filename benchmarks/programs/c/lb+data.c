// fencepost: model=power expect=pass executions=4
// fencepost: model=rc11 expect=pass executions=3
// LB+data (RSMC, Fig. 2).
#include "threads.h"
atomic_int x, y;
static void *thread(void *i) {
  if (i) {
    (void)load(y, rlx);
    store(x, 1, rlx);
  } else {
    store(y, load(x, rlx) + 1, rlx);
  }
  return NULL;
}
int main(void) { run(thread, 0, 1); }
