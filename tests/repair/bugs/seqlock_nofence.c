// repair: changes=4
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

atomic_uint seq; atomic_int a, b;
static void *t0(void *u) {
  atomic_fetch_add_explicit(&seq, 1, memory_order_relaxed);
  atomic_store_explicit(&a, 1, memory_order_relaxed); atomic_store_explicit(&b, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&seq, 1, memory_order_relaxed); return 0; }
static void *t1(void *u) {
  unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
  if (s & 1) return 0;
  int x = atomic_load_explicit(&a, memory_order_relaxed), y = atomic_load_explicit(&b, memory_order_relaxed);
  if (atomic_load_explicit(&seq, memory_order_relaxed) == s) assert(x == y);
  return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
