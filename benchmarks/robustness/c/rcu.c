// User-level RCU by quiescent states (M. Desnoyers et al., "User-level implementations of read-copy update", 2012), one
// writer and three readers, without a fence. The node that is not used is poisoned; a reader that meets it has come too late.
#include "threads.h"

#define READERS 3

static atomic_int grace, seen[READERS], current;
static int node[2] = {1, 0};

static void *writer(void *arg)
{
  for (int g = 1;; g = 1 - g) {
    int old = load(&current);
    node[1 - old] = 1;
    store(&current, 1 - old);
    store(&grace, g); // synchronize_rcu
    for (int i = 0; i < READERS; i++)
      while (load(&seen[i]) != g)
        ;
    node[old] = 0;
  }
  return NULL;
}

static void *reader(void *arg)
{
  int me = *(int *)arg;
  for (;;) {
    if (fencepost_choose(0, 1)) {
      assert(node[load(&current)] == 1);
    } else {
      store(&seen[me], load(&grace)); // rcu_quiescent_state
    }
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  run_threads(reader, READERS);
}
