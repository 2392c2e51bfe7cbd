// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int taken;
int counter;

static void lock(void) {
    for (;;) {
        while (atomic_load_explicit(&taken, memory_order_relaxed))
            ;
        int free = 0;
        if (atomic_compare_exchange_strong_explicit(&taken, &free, 1, memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

static void unlock(void) { atomic_store_explicit(&taken, 0, memory_order_relaxed); }

void *worker(void *_) {
    for (int i = 0; i < 2; i++) {
        lock();
        counter++;
        unlock();
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(counter == 4);
}
