// repair: changes=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Lamport's fast mutex for two threads: one try each, which gives up where the other one is seen. */
static atomic_int x, y, b[3];
static int counter;

static int try_lock(int me) {
    atomic_store_explicit(&b[me], 1, memory_order_relaxed);
    atomic_store_explicit(&x, me, memory_order_relaxed);
    if (atomic_load_explicit(&y, memory_order_relaxed) != 0) return 0;
    atomic_store_explicit(&y, me, memory_order_relaxed);
    if (atomic_load_explicit(&x, memory_order_relaxed) == me) return 1;
    atomic_store_explicit(&b[me], 0, memory_order_relaxed);
    if (atomic_load_explicit(&b[3 - me], memory_order_relaxed) != 0) return 0;
    return atomic_load_explicit(&y, memory_order_relaxed) == me;
}

static void unlock(int me) {
    atomic_store_explicit(&y, 0, memory_order_relaxed);
    atomic_store_explicit(&b[me], 0, memory_order_relaxed);
}

void *one(void *_) { if (try_lock(1)) { counter++; unlock(1); } return NULL; }
void *two(void *_) { if (try_lock(2)) { counter++; unlock(2); } return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, one, NULL);
    pthread_create(&t1, NULL, two, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
