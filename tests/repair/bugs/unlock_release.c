// repair: changes=1 warns=1
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
typedef struct { atomic_flag locked; } lock_t; static lock_t l = { ATOMIC_FLAG_INIT }; static int stock = 1, sold;
static void acquire(lock_t *k) { while (atomic_flag_test_and_set_explicit(&k->locked, memory_order_acquire)) ; }
static void release(lock_t *k) { atomic_flag_clear_explicit(&k->locked, memory_order_relaxed); }
static void *sell(void *p) { acquire(&l); if (stock > 0) { stock--; sold++; } release(&l); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, sell, 0); pthread_create(&b, 0, sell, 0); pthread_join(a, 0); pthread_join(b, 0); assert(sold == 1); }
