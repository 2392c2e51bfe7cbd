// fencepost: model=rc11 flags=-DK=3 expect=pass executions=2258
// fencepost: model=ra flags=-DK=3 expect=pass executions=2258
// fencepost: model=tso flags=-DK=3 expect=pass executions=2258
// fencepost: model=pso flags=-DK=3 expect=pass executions=2258
// fencepost: model=sc flags=-DK=3 expect=pass executions=1698
// fencepost: model=sc flags=-DK=3,-DLIMIT=20 expect=fail kind=assertion line=20
// Two threads add each other's variable K times; no value can exceed fib(2K+2).
#include "threads.h"
#include <assert.h>
#ifndef LIMIT
#define LIMIT 21
#endif
atomic_int x = 1, y = 1;
static void *thread(void *i) {
  switch ((intptr_t)i) {
    case 0: for (int k = 0; k < K; k++) { int v = load(x, acq); store(x, v + load(y, acq), rel); } break;
    case 1: for (int k = 0; k < K; k++) { int v = load(y, acq); store(y, v + load(x, acq), rel); } break;
    default: {
      int a = load(x, acq), b = load(y, acq);
      assert(a <= LIMIT && b <= LIMIT);
    }
  }
  return NULL;
}
int main(void) { run(thread, 0, 2); }
