// fencepost: model=rc11 flags=-DN=4 expect=pass executions=14
// fencepost: model=rc11 flags=-DN=6 expect=pass executions=144
// fencepost: model=rc11 flags=-DN=8 expect=pass executions=2048
// Thread i: CAS(x, i-1, i).
#include "threads.h"
atomic_int x;
static void *thread(void *i) {
  int expected = (int)(intptr_t)i - 1;
  cas(x, &expected, (int)(intptr_t)i, rlx);
  return NULL;
}
int main(void) { run(thread, 1, N); }
