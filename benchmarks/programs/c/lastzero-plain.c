// fencepost: model=power flags=-DN=5 expect=pass executions=96
// lastzero with relaxed accesses; SYNC: a full fence between all of them.
#include "threads.h"
#ifdef SYNC
#define between() __asm__ volatile("sync" ::: "memory")
#else
#define between()
#endif
atomic_int a[N + 1];
static void *thread(void *arg) {
  intptr_t i = (intptr_t)arg;
  if (i == 0) {
    intptr_t at = N;
    while (load(a[at], rlx) != 0) {
      between();
      at--;
    }
  } else {
    int v = load(a[i - 1], rlx);
    between();
    store(a[i], v + 1, rlx);
  }
  return NULL;
}
int main(void) { run(thread, 0, N); }
