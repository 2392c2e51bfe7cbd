// Dekker's algorithm, as E. W. Dijkstra gives it (EWD 35, 1962): a flag for each thread, and a turn for who gives way.
#include "frame.h"
static atomic_int wants[2], turn;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  STORE(wants[me], 1);
  FENCE();
  while (LOAD(wants[other])) {
    if (LOAD(turn) != me) {
      STORE(wants[me], 0);
      FENCE();
      while (LOAD(turn) != me) {
      }
      STORE(wants[me], 1);
      FENCE();
    }
  }
  FENCE();
  critical_section(me);
  FENCE();
  STORE(turn, other);
  FENCE();
  STORE(wants[me], 0);
  return NULL;
}
int main(void) { start(2, thread); }
