// repair: changes=1
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

atomic_int arrived; int x, y;
static void wait2(void) { atomic_fetch_add_explicit(&arrived, 1, memory_order_release); while (atomic_load_explicit(&arrived, memory_order_relaxed) < 2) ; }
static void *t0(void *u) { x = 1; wait2(); assert(y == 1); return 0; }
static void *t1(void *u) { y = 1; wait2(); assert(x == 1); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
