/* The frame of the algorithms: short names for C11 atomics, N numbered threads, and a critical section that is checked. */
#ifndef CHECK_H
#define CHECK_H
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define rlx memory_order_relaxed
#define acq memory_order_acquire
#define rel memory_order_release
#define acq_rel memory_order_acq_rel
#define sc memory_order_seq_cst
#define load(p, order) atomic_load_explicit(p, order)
#define store(p, v, order) atomic_store_explicit(p, v, order)
#define fadd(p, v, order) atomic_fetch_add_explicit(p, v, order)
#define fsub(p, v, order) atomic_fetch_sub_explicit(p, v, order)
#define xchg(p, v, order) atomic_exchange_explicit(p, v, order)
#define cas(p, e, v, order) atomic_compare_exchange_strong_explicit(p, e, v, order, rlx)
#define fence(order) atomic_thread_fence(order)

/* Runs body(0), ..., body(count - 1) at the same time and waits for all of them. */
static inline void run(void *(*body)(void *), int count) {
  pthread_t threads[count];
  for (intptr_t i = 0; i < count; i++) pthread_create(&threads[i], NULL, body, (void *)i);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

/* What a critical section does: two plain accesses, so that every missing order is a race or a lost increment. */
static int shared;
static inline void critical_section(void) { shared = shared + 1; }
#endif
