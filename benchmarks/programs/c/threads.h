/* The frame of the counting programs: start N numbered threads, wait for all. */
#ifndef THREADS_H
#define THREADS_H
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define rlx memory_order_relaxed
#define acq memory_order_acquire
#define rel memory_order_release
#define load(x, order) atomic_load_explicit(&(x), order)
#define store(x, v, order) atomic_store_explicit(&(x), v, order)
#define fadd(x, v, order) atomic_fetch_add_explicit(&(x), v, order)
#define cas(x, e, v, order) atomic_compare_exchange_strong_explicit(&(x), e, v, order, rlx)

/* Runs body(first), ..., body(last) at the same time and waits for all of them. */
static inline void run(void *(*body)(void *), intptr_t first, intptr_t last) {
  pthread_t threads[last - first + 1];
  for (intptr_t i = first; i <= last; i++) pthread_create(&threads[i - first], NULL, body, (void *)i);
  for (intptr_t i = first; i <= last; i++) pthread_join(threads[i - first], NULL);
}
#endif
