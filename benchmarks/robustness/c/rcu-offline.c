// User-level RCU by quiescent states with threads that go offline (M. Desnoyers et al., 2012): synchronize_rcu of the paper with
// its two phases, under a lock, since any thread may update. A thread that is offline is not waited for.
#include "threads.h"

#define THREADS 3
#define OFFLINE 2

static atomic_int phase, seen[THREADS], current;
static atomic_bool locked;
static int node[2] = {1, 0};

static void online(int me)
{
  store(&seen[me], load(&phase));
  atomic_thread_fence(memory_order_seq_cst);
}

static void offline(int me)
{
  store(&seen[me], OFFLINE);
  atomic_thread_fence(memory_order_seq_cst);
}

static void wait_for_readers(int me)
{
  int next = 1 - load(&phase);
  store(&phase, next);
  atomic_thread_fence(memory_order_seq_cst);
  for (int i = 0; i < THREADS; i++)
    if (i != me)
      while (load(&seen[i]) == 1 - next)
        ;
}

static void update(int me)
{
  offline(me);
  while (atomic_exchange_explicit(&locked, true, memory_order_acq_rel))
    ;
  int old = load(&current);
  node[1 - old] = 1;
  store(&current, 1 - old);
  wait_for_readers(me);
  wait_for_readers(me);
  node[old] = 0;
  store(&locked, false);
  online(me);
}

static void *thread(void *arg)
{
  int me = *(int *)arg;
  for (;;) {
    assert(node[load(&current)] == 1);
    switch (fencepost_choose(0, 2)) {
    case 0:
      update(me);
      break;
    case 1:
      offline(me);
      online(me);
      break;
    default:
      online(me);
    }
  }
  return NULL;
}

int main(void)
{
  run_threads(thread, THREADS);
}
