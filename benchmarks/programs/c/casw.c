// fencepost: model=rc11 flags=-DN=3 expect=pass executions=66
// fencepost: model=rc11 flags=-DN=4 expect=pass executions=1200
// Thread i: CAS(x, 0, i); store i+3.
#include "threads.h"
atomic_int x;
static void *thread(void *i) {
  int expected = 0;
  cas(x, &expected, (int)(intptr_t)i, rlx);
  store(x, (int)(intptr_t)i + 3, rel);
  return NULL;
}
int main(void) { run(thread, 1, N); }
