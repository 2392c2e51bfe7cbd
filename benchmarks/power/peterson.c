// Peterson's algorithm for two threads.
#include "fences.h"

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

static void *work(int me) {
  STORE(wants[me], 1);
  FENCE();
  STORE(turn, 1 - me);
  FENCE();
  while (LOAD(wants[1 - me]) && LOAD(turn) == 1 - me) {
  }
  FENCE();
  STORE(inside, me);
  FENCE();
  assert(LOAD(inside) == me);
  FENCE();
  STORE(wants[me], 0);
  return 0;
}

static void *first(void *arg) { return work(0); }
static void *second(void *arg) { return work(1); }
int main(void) { run(first, second); }
