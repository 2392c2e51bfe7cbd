// repair: 
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The owner takes from the bottom, a thief from the top; two elements are there. */
static atomic_int top, bottom = 2;
static atomic_int taken[2];

static void take(int i) { assert(atomic_fetch_add_explicit(&taken[i], 1, memory_order_relaxed) == 0); }

void *owner(void *_) {
    for (int i = 0; i < 2; i++) {
        int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
        atomic_store_explicit(&bottom, b, memory_order_relaxed);
        int t = atomic_load_explicit(&top, memory_order_relaxed);
        if (t < b) {
            take(b);
        } else {
            if (t == b && atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_relaxed,
                                                                  memory_order_relaxed))
                take(b);
            atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        }
    }
    return NULL;
}

void *thief(void *_) {
    for (int i = 0; i < 2; i++) {
        int t = atomic_load_explicit(&top, memory_order_relaxed);
        int b = atomic_load_explicit(&bottom, memory_order_relaxed);
        if (t < b && atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_relaxed,
                                                             memory_order_relaxed))
            take(t);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, owner, NULL);
    pthread_create(&t1, NULL, thief, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
