// repair: changes=4
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

atomic_int want0, want1; int data;
static void *t0(void *u) { atomic_store_explicit(&want0, 1, memory_order_release); if (!atomic_load_explicit(&want1, memory_order_acquire)) data = 1; return 0; }
static void *t1(void *u) { atomic_store_explicit(&want1, 1, memory_order_release); if (!atomic_load_explicit(&want0, memory_order_acquire)) data = 2; return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
