// Accesses as plain machine instructions; FENCE() is a full fence where the program is built with -DFENCED, else nothing.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE()
#endif

static inline void run(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
