// repair: changes=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int first, second;
int data;

void *maker(void *_) {
    data = 1;
    atomic_store_explicit(&first, 1, memory_order_relaxed);
    return NULL;
}

void *carrier(void *_) {
    if (atomic_load_explicit(&first, memory_order_relaxed))
        atomic_store_explicit(&second, 1, memory_order_relaxed);
    return NULL;
}

void *taker(void *_) {
    if (atomic_load_explicit(&second, memory_order_relaxed))
        assert(data == 1);
    return NULL;
}

int main(void) {
    pthread_t t0, t1, t2;
    pthread_create(&t0, NULL, maker, NULL);
    pthread_create(&t1, NULL, carrier, NULL);
    pthread_create(&t2, NULL, taker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
