// N. M. Lê, A. Pop, A. Cohen, F. Zappa Nardelli, "Correct and efficient work-stealing for weak memory models", 2013, Figure 1 (C11): each
// access and fence has the order that public copies of the figure give it. The array is never exchanged, so its pointer is left out: an owner that pushes and takes as it likes, two thieves for ever.
#include "threads.h"

#ifndef PUSHES
#define PUSHES 3
#endif
#define relaxed(x) atomic_load_explicit(x, memory_order_relaxed)
#define set(x, v) atomic_store_explicit(x, v, memory_order_relaxed)

static atomic_int top = 1, bottom = 1, item[PUSHES + 2];

static void push(int value)
{
  int b = relaxed(&bottom);
  load(&top);
  set(&item[b], value);
  atomic_thread_fence(memory_order_release);
  set(&bottom, b + 1);
}

static void take(void)
{
  int b = relaxed(&bottom) - 1;
  set(&bottom, b);
  atomic_thread_fence(memory_order_seq_cst);
  int t = relaxed(&top);
  if (t <= b) {
    assert(relaxed(&item[b]) != 0);
    if (t == b) {
      atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed);
      set(&bottom, b + 1);
    }
  } else {
    set(&bottom, b + 1);
  }
}

static void steal(void)
{
  int t = load(&top);
  atomic_thread_fence(memory_order_seq_cst);
  int b = load(&bottom);
  if (t < b) {
    assert(relaxed(&item[t]) != 0);
    atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed);
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
