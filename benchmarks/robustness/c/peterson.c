// Peterson's lock for two threads (G. L. Peterson, 1981). -DDMITRIY: by Dmitriy Vyukov, who exchanges the turn.
// -DBARTOSZ: by Bartosz Milewski, who exchanges the flag; both in A. Williams, "Peterson's lock with C++0x atomics", 2008.
// -DDMITRIY -DORDERS: stores its flag and reads the victim relaxed. A thread that re-enters then races.
#include "threads.h"

static atomic_int interested[2], victim;
static int owner;

static void lock(int me)
{
#if defined(BARTOSZ)
  atomic_exchange_explicit(&interested[me], 1, memory_order_acq_rel);
#elif defined(ORDERS)
  atomic_store_explicit(&interested[me], 1, memory_order_relaxed);
#else
  store(&interested[me], 1);
#endif
  FENCE_RA();
#if defined(DMITRIY)
  atomic_exchange_explicit(&victim, me, memory_order_acq_rel);
#else
  store(&victim, me);
#endif
  FENCE_TSO();
#if defined(ORDERS)
  while (load(&interested[1 - me]) && atomic_load_explicit(&victim, memory_order_relaxed) == me)
    ;
#else
  while (load(&interested[1 - me]) && load(&victim) == me)
    ;
#endif
}

static void *thread(void *arg)
{
  int me = *(int *)arg;
  for (;;) {
    lock(me);
    owner = me;
    assert(owner == me);
    store(&interested[me], 0);
  }
  return NULL;
}

int main(void)
{
  run_threads(thread, 2);
}
