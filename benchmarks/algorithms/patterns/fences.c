// fencepost: model=rc11 expect=pass executions=1
// fencepost: model=rc11 flags=-DBEFORE=acq expect=fail kind=race line=22
// fencepost: model=rc11 flags=-DAFTER=rel expect=fail kind=race line=22
// Message passing by fences around relaxed accesses.
#include "../check.h"
#ifndef BEFORE
#define BEFORE rel
#endif
#ifndef AFTER
#define AFTER acq
#endif
static int message;
static atomic_int flag;
static void *thread(void *arg) {
  if ((intptr_t)arg == 0) {
    message = 42;
    fence(BEFORE);
    store(&flag, 1, rlx);
  } else {
    while (load(&flag, rlx) != 1) { }
    fence(AFTER);
    assert(message == 42);
  }
  return NULL;
}
int main(void) { run(thread, 2); }
