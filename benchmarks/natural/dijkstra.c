// E. W. Dijkstra, Solution of a Problem in Concurrent Programming Control, 1965, for two threads: b and c are false while
// a thread wants, and while it is about, to enter; k is whose turn it is.
#include "frame.h"
static atomic_int b[2] = {1, 1}, c[2] = {1, 1}, k;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  STORE(b[me], 0);
  FENCE();
again:
  if (LOAD(k) != me) {
    STORE(c[me], 1);
    FENCE();
    if (LOAD(b[LOAD(k)])) STORE(k, me);
    FENCE();
    goto again;
  }
  STORE(c[me], 0);
  FENCE();
  if (!LOAD(c[other])) goto again;
  FENCE();
  critical_section(me);
  FENCE();
  STORE(c[me], 1);
  STORE(b[me], 1);
  return NULL;
}
int main(void) { start(2, thread); }
