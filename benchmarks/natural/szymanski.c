// Szymanski's algorithm (B. K. Szymanski, A Simple Solution to Lamport's Concurrent Programming Problem with Linear Wait,
// 1988) for two threads: a waiting room with an entry and an exit.
#include "frame.h"
static atomic_int flag[2];
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  STORE(flag[me], 1);
  FENCE();
  while (LOAD(flag[other]) >= 3) {
  }
  FENCE();
  STORE(flag[me], 3);
  FENCE();
  if (LOAD(flag[other]) == 1) {
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
  critical_section(me);
  FENCE();
  if (me == 0)
    for (int seen = LOAD(flag[other]); seen == 2 || seen == 3; seen = LOAD(flag[other])) {
    }
  FENCE();
  STORE(flag[me], 0);
  return NULL;
}
int main(void) { start(2, thread); }
