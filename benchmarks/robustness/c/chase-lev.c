// D. Chase, Y. Lev, "Dynamic circular work-stealing deque", 2005, without the resizing, in the C11 form of N. M. Lê et al., "Correct
// and efficient work-stealing for weak memory models", 2013: an owner that pushes and takes, two thieves. The fence of take is
// theirs (-DTSO); release/acquire alone needs more (-DRA).
#include "threads.h"

#define PUSHES 3

static atomic_int top = 1, bottom = 1, item[PUSHES + 2];

static void push(int value)
{
  int b = load(&bottom);
  store(&item[b], value);
  store(&bottom, b + 1);
}

static void take(void)
{
  int b = load(&bottom) - 1;
  store(&bottom, b);
  FENCE_TSO();
  int t = load(&top);
  if (t < b) {
    assert(load(&item[b]) != 0);
  } else if (t == b) {
    assert(load(&item[b]) != 0);
    atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_acq_rel, memory_order_acquire);
    store(&bottom, b + 1);
  } else {
    store(&bottom, b + 1);
  }
}

static void steal(void)
{
  FENCE_RA();
  int t = load(&top);
  FENCE_RA();
  int b = load(&bottom);
  if (t < b) {
    assert(load(&item[t]) != 0);
    FENCE_RA(); // a thief that fails has seen this bottom
    atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_acq_rel, memory_order_acquire);
  }
}

static void *owner(void *arg)
{
  for (int pushes = 0;;) {
    if (fencepost_choose(0, 1)) {
      take();
    } else if (pushes < PUSHES) {
      push(++pushes);
    }
  }
  return NULL;
}

static void *thief(void *arg)
{
  for (;;)
    steal();
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, owner, NULL);
  run_threads(thief, 2);
}
