// Burns's algorithm (J. E. Burns, N. A. Lynch, Bounds on Shared Memory for Mutual Exclusion, 1993), for two threads:
// each takes its flag down where one with a smaller number wants to enter, and then waits for those with larger ones.
#include "frame.h"
static atomic_int flag[2];
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg;
retry:
  STORE(flag[me], 0);
  FENCE();
  for (int k = 0; k < me; k++)
    if (LOAD(flag[k])) goto retry;
  STORE(flag[me], 1);
  FENCE();
  for (int k = 0; k < me; k++)
    if (LOAD(flag[k])) goto retry;
  for (int k = me + 1; k < 2; k++)
    while (LOAD(flag[k])) {
    }
  FENCE();
  critical_section(me);
  FENCE();
  STORE(flag[me], 0);
  return NULL;
}
int main(void) { start(2, thread); }
