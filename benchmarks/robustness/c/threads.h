// What the programs of this folder share: threads for ever, and the fences of their variants.
// FENCE_TSO() is there with -DTSO and -DRA, FENCE_RA() with -DRA only.
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(TSO) || defined(RA)
#define FENCE_TSO() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE_TSO() ((void)0)
#endif
#ifdef RA
#define FENCE_RA() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE_RA() ((void)0)
#endif

#define load(x) atomic_load_explicit(x, memory_order_acquire)
#define store(x, v) atomic_store_explicit(x, v, memory_order_release)

// Runs `body` on `count` threads, numbered from 0.
static inline void run_threads(void *(*body)(void *), int count)
{
  pthread_t threads[8];
  static int numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, body, &numbers[i]);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}
