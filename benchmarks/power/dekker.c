// Dekker's algorithm: mutual exclusion with a turn.
#include "fences.h"

static atomic_int wants[2];
static atomic_int turn;
static atomic_int inside;

static void enter(int me) {
  STORE(wants[me], 1);
  FENCE();
  while (LOAD(wants[1 - me])) {
    if (LOAD(turn) != me) {
      STORE(wants[me], 0);
      FENCE();
      while (LOAD(turn) != me) {
      }
      FENCE();
      STORE(wants[me], 1);
      FENCE();
    }
  }
  FENCE();
}

static void leave(int me) {
  FENCE();
  STORE(turn, 1 - me);
  FENCE();
  STORE(wants[me], 0);
}

static void *work(int me) {
  enter(me);
  STORE(inside, me);
  FENCE();
  assert(LOAD(inside) == me);
  leave(me);
  return 0;
}

static void *first(void *arg) { return work(0); }
static void *second(void *arg) { return work(1); }
int main(void) { run(first, second); }
