// fencepost: model=rc11 flags=-DN=3 expect=pass executions=8
// fencepost: model=ra flags=-DN=6 expect=pass executions=64
// fencepost: model=sc flags=-DN=6 expect=pass executions=64
// fencepost: model=tso flags=-DN=6 expect=pass executions=64
// fencepost: model=pso flags=-DN=6 expect=pass executions=64
// One thread stores, N threads load: 2^N executions.
#include "threads.h"
atomic_int x;
static void *thread(void *i) {
  if ((intptr_t)i == 0) store(x, 42, rel);
  else load(x, acq);
  return NULL;
}
int main(void) { run(thread, 0, N); }
