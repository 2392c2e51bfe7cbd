/* What these programs share. Accesses are plain machine instructions; FENCE() is a full fence where FENCED is defined,
   else nothing. Every thread enters once, writes its number inside, looks whether it is still there, and leaves. */
#ifndef FRAME_H
#define FRAME_H
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stddef.h>

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

static atomic_int inside;

static inline void critical_section(int me) {
  STORE(inside, me);
  FENCE();
  assert(LOAD(inside) == me);
}

static inline void start(int threads, void *(*body)(void *)) {
  pthread_t t[8];
  for (intptr_t i = 0; i < threads; i++) pthread_create(&t[i], NULL, body, (void *)i);
  for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
}
#endif
