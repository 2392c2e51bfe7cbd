// L. Lamport, A New Solution of Dijkstra's Concurrent Programming Problem, 1974 (the bakery), for two threads.
#include "frame.h"
static atomic_int choosing[2], number[2];
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  STORE(choosing[me], 1);
  FENCE();
  int mine = LOAD(number[other]) + 1;
  STORE(number[me], mine);
  FENCE();
  STORE(choosing[me], 0);
  FENCE();
  while (LOAD(choosing[other])) {
  }
  FENCE();
  for (int theirs = LOAD(number[other]); theirs && (theirs < mine || (theirs == mine && other < me));
       theirs = LOAD(number[other])) {
  }
  FENCE();
  critical_section(me);
  FENCE();
  STORE(number[me], 0);
  return NULL;
}
int main(void) { start(2, thread); }
