// Dekker's algorithm without a turn: a thread that finds the other's flag up takes its own down and tries again.
#include "frame.h"
static atomic_int wants[2];
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  STORE(wants[me], 1);
  FENCE();
  while (LOAD(wants[other])) {
    STORE(wants[me], 0);
    FENCE();
    STORE(wants[me], 1);
    FENCE();
  }
  FENCE();
  critical_section(me);
  FENCE();
  STORE(wants[me], 0);
  return NULL;
}
int main(void) { start(2, thread); }
