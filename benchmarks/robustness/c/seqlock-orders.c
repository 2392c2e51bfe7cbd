// H. Boehm, "Can seqlocks get along with programming language memory models?", 2012: the reader of its Figure 6, with an acquire
// fence. -DFIGURE6: that figure's writer, whose accesses are seq-cst; else one that leaves them relaxed, behind a release
// fence. One writer, two readers.
#include "threads.h"

#define ROUNDS 2
#define relaxed(x) atomic_load_explicit(x, memory_order_relaxed)
#define set(x, v) atomic_store_explicit(x, v, memory_order_relaxed)

static atomic_uint sequence;
static atomic_int data1, data2;

static void *writer(void *arg)
{
  for (int round = 1; round <= ROUNDS; round++) {
#ifdef FIGURE6
    unsigned before = sequence;
    while (before & 1 || !atomic_compare_exchange_weak(&sequence, &before, before + 1))
      ;
    data1 = round;
    data2 = round;
    sequence = before + 2;
#else
    unsigned before = relaxed(&sequence);
    set(&sequence, before + 1);
    atomic_thread_fence(memory_order_release);
    set(&data1, round);
    set(&data2, round);
    store(&sequence, before + 2);
#endif
  }
  return NULL;
}

static void *reader(void *arg)
{
  for (;;) {
    unsigned before, after;
    int first, second;
    do {
      before = load(&sequence);
      first = relaxed(&data1);
      second = relaxed(&data2);
      atomic_thread_fence(memory_order_acquire);
      after = relaxed(&sequence);
    } while (before != after || before % 2 == 1);
    assert(first == second);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  run_threads(reader, 2);
}
