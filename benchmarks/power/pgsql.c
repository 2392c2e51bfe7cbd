// PostgreSQL's latch bug: a worker resets its latch, looks at its flag and passes both on; a wake-up may get lost on the way.
// The property is that whoever finds its latch set also finds its flag.
#include "fences.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif
static atomic_int latch[2] = {1, 0};
static atomic_int flag[2] = {1, 0};

static void *work(int me) {
  for (int k = 0; k < ROUNDS; k++) {
    while (!LOAD(latch[me])) {
    }
    FENCE();
    assert(LOAD(flag[me]));
    STORE(latch[me], 0);
    FENCE();
    if (LOAD(flag[me])) {
      STORE(flag[me], 0);
      FENCE();
      STORE(flag[1 - me], 1);
      FENCE();
      STORE(latch[1 - me], 1);
    }
  }
  return 0;
}

static void *first(void *arg) { return work(0); }
static void *second(void *arg) { return work(1); }
int main(void) { run(first, second); }
