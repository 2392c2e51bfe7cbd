// L. Lamport, A Fast Mutual Exclusion Algorithm, 1987, Algorithm 2, for two threads, whose numbers are 1 and 2.
#include "frame.h"
static atomic_int x, y, wants[3];
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg + 1;
start:
  STORE(wants[me], 1);
  FENCE();
  STORE(x, me);
  FENCE();
  if (LOAD(y) != 0) {
    STORE(wants[me], 0);
    FENCE();
    while (LOAD(y) != 0) {
    }
    goto start;
  }
  STORE(y, me);
  FENCE();
  if (LOAD(x) != me) {
    STORE(wants[me], 0);
    FENCE();
    for (int j = 1; j <= 2; j++)
      while (LOAD(wants[j])) {
      }
    FENCE();
    if (LOAD(y) != me) {
      while (LOAD(y) != 0) {
      }
      goto start;
    }
  }
  FENCE();
  critical_section(me);
  FENCE();
  STORE(y, 0);
  FENCE();
  STORE(wants[me], 0);
  return NULL;
}
int main(void) { start(2, thread); }
