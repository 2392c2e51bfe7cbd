// fencepost: model=rc11 expect=pass executions=1
// fencepost: model=rc11 flags=-DSEND=rlx expect=fail kind=race line=20
// fencepost: model=rc11 flags=-DRECEIVE=rlx expect=fail kind=race line=20
// The smallest protocol: write, raise a flag, wait for the flag, read.
#include "../check.h"
#ifndef SEND
#define SEND rel
#endif
#ifndef RECEIVE
#define RECEIVE acq
#endif
static int message;
static atomic_bool ready;
static void *thread(void *arg) {
  if ((intptr_t)arg == 0) {
    message = 42;
    store(&ready, true, SEND);
  } else {
    while (!load(&ready, RECEIVE)) { }
    assert(message == 42);
  }
  return NULL;
}
int main(void) { run(thread, 2); }
