// repair: changes=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* -1 is a writer, n readers are n. */
static atomic_int state;
static int data;

static int write_try(void) {
    int none = 0;
    return atomic_compare_exchange_strong_explicit(&state, &none, -1, memory_order_relaxed, memory_order_relaxed);
}

static int read_try(void) {
    int n = atomic_load_explicit(&state, memory_order_relaxed);
    return n >= 0 && atomic_compare_exchange_strong_explicit(&state, &n, n + 1, memory_order_relaxed, memory_order_relaxed);
}

void *writer(void *_) {
    if (write_try()) {
        data++;
        atomic_store_explicit(&state, 0, memory_order_relaxed);
    }
    return NULL;
}

void *reader(void *_) {
    if (read_try()) {
        int seen = data;
        (void)seen;
        atomic_fetch_sub_explicit(&state, 1, memory_order_relaxed);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, writer, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
