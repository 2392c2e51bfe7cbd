// What the programs of this folder share: relaxed accesses, which POWER executes as plain loads and stores, and a full
// fence that is there only where FENCED is defined. NAME-safe.c is NAME-unsafe.c with its fences.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define load(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define store(x, value) atomic_store_explicit(&(x), (value), memory_order_relaxed)

#ifdef FENCED
#define fence() __asm__ volatile("sync" ::: "memory")
#else
#define fence() ((void)0)
#endif

typedef atomic_int shared;

// Starts n threads on `body` with the arguments 0 .. n-1 and waits for them.
static inline void run_threads(int n, void *(*body)(void *))
{
  pthread_t threads[8];
  for (long i = 0; i < n; i++) pthread_create(&threads[i], NULL, body, (void *)i);
  for (long i = 0; i < n; i++) pthread_join(threads[i], NULL);
}

// The critical section of the protocols whose violation shows inside it: nobody else may have been here in between.
static shared inside;

static inline void critical_section(int me)
{
  store(inside, me + 1);
  assert(load(inside) == me + 1);
}
