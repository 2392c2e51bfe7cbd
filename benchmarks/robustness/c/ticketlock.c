// The ticket lock of Linux since 2.6.25. -DTHREADS=4 for four threads. Each enters ROUNDS times, which keeps the tickets finite.
#include "threads.h"

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static atomic_uchar next, serving;
static int owner;

static void *thread(void *arg)
{
  int me = *(int *)arg;
  for (int round = 0; round < ROUNDS; round++) {
    unsigned char mine = atomic_fetch_add_explicit(&next, 1, memory_order_acq_rel);
    while (load(&serving) != mine)
      ;
    owner = me;
    assert(owner == me);
    store(&serving, mine + 1);
  }
  return NULL;
}

int main(void)
{
  run_threads(thread, THREADS);
}
