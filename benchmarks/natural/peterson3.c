// Peterson's algorithm for three threads, the filter lock of the same paper: two levels, at each of which one thread stays.
#include "frame.h"
#define THREADS 3
static atomic_int level[THREADS], victim[THREADS];
static int somebody(int me, int l) {
  for (int k = 0; k < THREADS; k++)
    if (k != me && LOAD(level[k]) >= l) return 1;
  return 0;
}
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg;
  for (int l = 1; l < THREADS; l++) {
    STORE(level[me], l);
    FENCE();
    STORE(victim[l], me);
    FENCE();
    while (somebody(me, l) && LOAD(victim[l]) == me) {
    }
  }
  FENCE();
  critical_section(me);
  FENCE();
  STORE(level[me], 0);
  return NULL;
}
int main(void) { start(THREADS, thread); }
