// repair: changes=2
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

/* Three threads hand a message on; the last flag is relaxed at its reader. */
int data;
atomic_int f1, f2;
static void *t0(void *u) { data = 1; atomic_store_explicit(&f1, 1, memory_order_release); return 0; }
static void *t1(void *u) { if (atomic_load_explicit(&f1, memory_order_relaxed)) atomic_store_explicit(&f2, 1, memory_order_relaxed); return 0; }
static void *t2(void *u) { if (atomic_load_explicit(&f2, memory_order_acquire)) assert(data == 1); return 0; }
int main(void) { pthread_t a, b, c; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_create(&c, 0, t2, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0); }
