// Peterson's algorithm (G. L. Peterson, Myths About the Mutual Exclusion Problem, 1981).
#include "frame.h"
static atomic_int wants[2], turn;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  STORE(wants[me], 1);
  FENCE();
  STORE(turn, other);
  FENCE();
  while (LOAD(wants[other]) && LOAD(turn) == other) {
  }
  FENCE();
  critical_section(me);
  FENCE();
  STORE(wants[me], 0);
  return NULL;
}
int main(void) { start(2, thread); }
