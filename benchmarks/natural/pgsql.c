// The latch of PostgreSQL (J. Alglave, D. Kroening, V. Nimal, M. Tautschnig, Software Verification for Weak Memory via Program
// Transformation, ESOP 2013, Figure 1): a worker that finds its latch set should find its flag. Each works for ever, or
// ROUNDS times.
#include "frame.h"
static atomic_int latch[2] = {1, 0}, flag[2] = {1, 0};
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
#ifdef ROUNDS
  for (int round = 0; round < ROUNDS; round++) {
#else
  for (;;) {
#endif
    while (!LOAD(latch[me])) {
    }
    FENCE();
    assert(!LOAD(latch[me]) || LOAD(flag[me]));
    STORE(latch[me], 0);
    FENCE();
    if (LOAD(flag[me])) {
      STORE(flag[me], 0);
      FENCE();
      STORE(flag[other], 1);
      FENCE();
      STORE(latch[other], 1);
    }
  }
  return NULL;
}
int main(void) { start(2, thread); }
