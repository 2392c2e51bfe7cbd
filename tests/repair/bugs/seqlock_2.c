// repair: changes=2
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_uint seq; static atomic_int x, y;
static void *writer(void *p) { unsigned s = atomic_load_explicit(&seq, memory_order_relaxed); atomic_store_explicit(&seq, s + 1, memory_order_relaxed); atomic_store_explicit(&x, 1, memory_order_relaxed); atomic_store_explicit(&y, 1, memory_order_relaxed); atomic_store_explicit(&seq, s + 2, memory_order_release); return p; }
static void *reader(void *p) { unsigned s = atomic_load_explicit(&seq, memory_order_acquire); if (s & 1) return p; int a = atomic_load_explicit(&x, memory_order_relaxed), b = atomic_load_explicit(&y, memory_order_relaxed); if (atomic_load_explicit(&seq, memory_order_relaxed) == s) assert(a == b); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, writer, 0); pthread_create(&b, 0, reader, 0); pthread_join(a, 0); pthread_join(b, 0); }
