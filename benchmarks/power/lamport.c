// Lamport's fast mutual exclusion for two threads.
#include "fences.h"

static atomic_int x, y;
static atomic_int wants[3];
static atomic_int inside;

static void *work(int me) {
  for (;;) {
    STORE(wants[me], 1);
    STORE(x, me);
    FENCE();
    if (LOAD(y) != 0) {
      STORE(wants[me], 0);
      FENCE();
      while (LOAD(y) != 0) {
      }
      continue;
    }
    STORE(y, me);
    FENCE();
    if (LOAD(x) != me) {
      STORE(wants[me], 0);
      FENCE();
      for (int other = 1; other <= 2; other++)
        while (LOAD(wants[other]) == 1) {
        }
      FENCE();
      if (LOAD(y) != me) {
        while (LOAD(y) != 0) {
        }
        continue;
      }
    }
    break;
  }
  FENCE();
  STORE(inside, me);
  FENCE();
  assert(LOAD(inside) == me);
  FENCE();
  STORE(y, 0);
  FENCE();
  STORE(wants[me], 0);
  return 0;
}

static void *first(void *arg) { return work(1); }
static void *second(void *arg) { return work(2); }
int main(void) { run(first, second); }
