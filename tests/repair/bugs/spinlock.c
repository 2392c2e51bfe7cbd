// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int taken;
int counter;

static void lock(void) {
    while (atomic_exchange_explicit(&taken, 1, memory_order_relaxed))
        ;
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
