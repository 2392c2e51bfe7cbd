// repair: 
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int version, x, y;

void *writer(void *_) {
    atomic_store_explicit(&version, 1, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_store_explicit(&version, 2, memory_order_relaxed);
    return NULL;
}

void *reader(void *_) {
    int before = atomic_load_explicit(&version, memory_order_relaxed);
    int a = atomic_load_explicit(&x, memory_order_relaxed);
    int b = atomic_load_explicit(&y, memory_order_relaxed);
    int after = atomic_load_explicit(&version, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(a == b);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, writer, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
