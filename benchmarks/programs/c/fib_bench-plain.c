// fencepost: model=power flags=-DK=2,-DLIMIT=8 expect=pass executions=180
// fib_bench with relaxed accesses; SYNC: a full fence between all of them.
#include "threads.h"
#include <assert.h>
#ifdef SYNC
#define between() __asm__ volatile("sync" ::: "memory")
#else
#define between()
#endif
atomic_int x = 1, y = 1;
static void add(atomic_int *own, atomic_int *other) {
  for (int k = 0; k < K; k++) {
    int v = load(*own, rlx);
    between();
    v += load(*other, rlx);
    between();
    store(*own, v, rlx);
    between();
  }
}
static void *thread(void *i) {
  if ((intptr_t)i < 2) {
    add(i ? &y : &x, i ? &x : &y);
    return NULL;
  }
  int a = load(x, rlx);
  between();
  int b = load(y, rlx);
  assert(a <= LIMIT && b <= LIMIT);
  return NULL;
}
int main(void) { run(thread, 0, 2); }
