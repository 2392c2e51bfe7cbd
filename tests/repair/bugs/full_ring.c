// repair: fails=race
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

/* the producer does not ask whether there is room */
int slot; atomic_uint head, tail;
static void *t0(void *u) { for (int i = 1; i <= 2; i++) { slot = i; atomic_store_explicit(&tail, i, memory_order_release); } return 0; }
static void *t1(void *u) { if (atomic_load_explicit(&tail, memory_order_acquire) > 0) { int v = slot; (void)v; } return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
