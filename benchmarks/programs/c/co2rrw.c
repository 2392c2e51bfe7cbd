// fencepost: model=rc11 expect=pass executions=6
// fencepost: model=sc expect=pass executions=6
// A thread that reads twice, one that reads once, and a writer.
#include "threads.h"
atomic_int x;
static void *thread(void *i) {
  switch ((intptr_t)i) {
    case 0: load(x, rlx); load(x, rlx); break;
    case 1: load(x, rlx); break;
    default: store(x, 1, rlx);
  }
  return NULL;
}
int main(void) { run(thread, 0, 2); }
