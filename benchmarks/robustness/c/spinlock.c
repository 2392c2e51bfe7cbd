// The spin lock of Linux on x86 until 2008, as S. Owens gives it in "Reasoning about the implementation of concurrency
// abstractions on x86-TSO", 2010: a locked decrement, and a loop of plain reads while it is taken. -DTHREADS=4 for four.
#include "threads.h"

#ifndef THREADS
#define THREADS 2
#endif

static atomic_int free_slots = 1;
static int owner;

static void *thread(void *arg)
{
  int me = *(int *)arg;
  for (;;) {
    while (atomic_fetch_sub_explicit(&free_slots, 1, memory_order_acq_rel) != 1)
      while (load(&free_slots) <= 0)
        ;
    owner = me;
    assert(owner == me);
    store(&free_slots, 1);
  }
  return NULL;
}

int main(void)
{
  run_threads(thread, THREADS);
}
