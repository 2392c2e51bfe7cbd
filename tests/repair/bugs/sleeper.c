// repair: 
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Says that it sleeps, looks once more for work, and waits to be woken: store buffering loses the wake-up. */
static atomic_int work, sleeping, woken;

void *worker(void *_) {
    atomic_store_explicit(&sleeping, 1, memory_order_relaxed);
    if (atomic_load_explicit(&work, memory_order_relaxed) == 0)
        while (atomic_load_explicit(&woken, memory_order_relaxed) == 0)
            ;
    return NULL;
}

void *giver(void *_) {
    atomic_store_explicit(&work, 1, memory_order_relaxed);
    if (atomic_load_explicit(&sleeping, memory_order_relaxed))
        atomic_store_explicit(&woken, 1, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, giver, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
