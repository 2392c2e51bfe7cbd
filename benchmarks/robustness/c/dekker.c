// Dekker's algorithm in its usual presentation (E. W. Dijkstra, "Cooperating sequential processes", 1965).
#include "threads.h"

static atomic_bool wants_to_enter[2];
static atomic_int turn;
static int owner;

static void *process(void *arg)
{
  int me = *(int *)arg, other = 1 - me;
  for (;;) {
    store(&wants_to_enter[me], true);
    FENCE_TSO();
    while (load(&wants_to_enter[other])) {
      if (load(&turn) != me) {
        store(&wants_to_enter[me], false);
        FENCE_TSO();
        while (load(&turn) != me)
          ;
        store(&wants_to_enter[me], true);
        FENCE_TSO();
      }
    }
    owner = me;
    assert(owner == me);
    store(&turn, other);
    store(&wants_to_enter[me], false);
  }
  return NULL;
}

int main(void)
{
  run_threads(process, 2);
}
