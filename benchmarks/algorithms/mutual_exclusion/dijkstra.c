// fencepost: model=rc11 flags=-DONCE expect=pass executions=11
// fencepost: model=sc flags=-DONCE expect=pass executions=11
// fencepost: model=sc unroll=3 expect=bounded
// fencepost: model=rc11 flags=-DORDER=acq_rel unroll=3 expect=fail kind=race line=34
// fencepost: model=sc flags=-DNO_SECOND_LOOK unroll=3 expect=fail kind=assertion line=41
// Dijkstra's algorithm of 1965. NO_SECOND_LOOK enters without looking at the others again. Both
// threads can make each other try again for ever; ONCE gives up instead.
#include "../check.h"
#include "../orders.h"
#define THREADS 2
enum { IDLE, ASKING, ENTERING };
static atomic_int state[THREADS], turn;
static int entered;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg;
  bool alone;
  do {
    store(&state[me], ASKING, STORE);
    while (load(&turn, LOAD) != me)
      if (load(&state[load(&turn, LOAD)], LOAD) == IDLE) store(&turn, me, STORE);
    store(&state[me], ENTERING, STORE);
    alone = true;
#ifndef NO_SECOND_LOOK
    for (int k = 0; k < THREADS; k++)
      if (k != me && load(&state[k], LOAD) == ENTERING) alone = false;
#endif
#ifdef ONCE
    if (!alone) {
      store(&state[me], IDLE, STORE);
      return NULL;
    }
#endif
  } while (!alone);
  critical_section();
  entered++;
  store(&state[me], IDLE, STORE);
  return NULL;
}
int main(void) {
  run(thread, THREADS);
  assert(shared == entered);
}
