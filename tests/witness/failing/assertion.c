#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int data, ready;

void *writer(void *unused) {
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return 0;
}

void *reader(void *unused) {
    while (!atomic_load_explicit(&ready, memory_order_acquire)) { }
    assert(atomic_load_explicit(&data, memory_order_relaxed) == 42);
    return 0;
}

int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
}
