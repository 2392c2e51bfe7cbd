// repair: changes=1
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

atomic_uint next, serving; int counter;
static void lock(void) { unsigned t = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed); while (atomic_load_explicit(&serving, memory_order_acquire) != t) ; }
static void unlock(void) { atomic_store_explicit(&serving, atomic_load_explicit(&serving, memory_order_relaxed) + 1, memory_order_relaxed); }
static void *t0(void *u) { for (int i = 0; i < 2; i++) { lock(); counter++; unlock(); } return 0; }
#define t1 t0
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); assert(counter == 4); }
