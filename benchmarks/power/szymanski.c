// Szymanski's algorithm for two threads.
#include "fences.h"

static atomic_int flag[2];
static atomic_int inside;

static void *work(int me) {
  int other = 1 - me;
  STORE(flag[me], 1);
  FENCE();
  while (LOAD(flag[other]) >= 3) {
  }
  FENCE();
  STORE(flag[me], 3);
  FENCE();
  if (LOAD(flag[other]) == 1) {
    FENCE();
    STORE(flag[me], 2);
    FENCE();
    while (LOAD(flag[other]) != 4) {
    }
  }
  FENCE();
  STORE(flag[me], 4);
  FENCE();
  if (me == 1)
    while (LOAD(flag[other]) >= 2) {
    }
  FENCE();
  STORE(inside, me);
  FENCE();
  assert(LOAD(inside) == me);
  FENCE();
  if (me == 0)
    for (int seen = LOAD(flag[other]); seen == 2 || seen == 3; seen = LOAD(flag[other])) {
    }
  FENCE();
  STORE(flag[me], 0);
  return 0;
}

static void *first(void *arg) { return work(0); }
static void *second(void *arg) { return work(1); }
int main(void) { run(first, second); }
