// L. Lamport, "A fast mutual exclusion algorithm", 1987, algorithm 2. -DTHREADS=3 for three threads.
#include "threads.h"

#ifndef THREADS
#define THREADS 2
#endif

static atomic_int x, y, b[THREADS + 1];
static int owner;

static void *process(void *arg)
{
  int i = *(int *)arg + 1;
  for (;;) {
start:
    store(&b[i], 1);
    FENCE_RA();
    store(&x, i);
    FENCE_TSO();
    if (load(&y) != 0) {
      store(&b[i], 0);
      while (load(&y) != 0) // "await y = 0"
        ;
      goto start;
    }
    store(&y, i);
    FENCE_TSO();
    if (load(&x) != i) {
      FENCE_RA();
      store(&b[i], 0);
      for (int j = 1; j <= THREADS; j++) {
        if (j != i)
          while (load(&b[j]) != 0) // "await not b[j]"
            ;
        FENCE_RA();
      }
      if (load(&y) != i) {
        while (load(&y) != 0)
          ;
        goto start;
      }
    }
    owner = i;
    assert(owner == i);
    store(&y, 0);
    FENCE_RA();
    store(&b[i], 0);
  }
  return NULL;
}

int main(void)
{
  run_threads(process, THREADS);
}
