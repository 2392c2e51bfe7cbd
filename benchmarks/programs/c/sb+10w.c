// fencepost: model=power flags=-DFENCE=1 expect=pass executions=3
// fencepost: model=tso flags=-DFENCE=1 expect=pass executions=3
// SB+10W (RSMC, Fig. 11): store buffering; who misses the other's write adds ten writes to z. FENCE: 0 none, 1 full, 2 lwsync.
#include "threads.h"
#if FENCE == 1
#define fence() atomic_thread_fence(memory_order_seq_cst)
#elif FENCE == 2
#define fence() __asm__ volatile("lwsync" ::: "memory")
#else
#define fence()
#endif
atomic_int x, y, z;
static void *thread(void *i) {
  atomic_int *own = i ? &y : &x, *other = i ? &x : &y;
  store(*own, 1, rlx);
  fence();
  if (load(*other, rlx) == 0)
    for (int k = 0; k < 10; k++) store(z, 1, rlx);
  return NULL;
}
int main(void) { run(thread, 0, 1); }
