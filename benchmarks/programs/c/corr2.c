// fencepost: model=rc11 expect=pass executions=72
// Two writers of x, two threads that read it twice.
#include "threads.h"
atomic_int x;
static void *thread(void *i) {
  switch ((intptr_t)i) {
    case 0: store(x, 1, rlx); break;
    case 1: store(x, 2, rlx); break;
    default: load(x, rlx); load(x, rlx);
  }
  return NULL;
}
int main(void) { run(thread, 0, 3); }
