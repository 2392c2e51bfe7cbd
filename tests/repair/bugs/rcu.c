// repair: changes=5 warns=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config { int limit; };
static _Atomic(struct config *) current;
static atomic_int reading;

void *reader(void *_) {
    atomic_store_explicit(&reading, 1, memory_order_relaxed);
    struct config *c = atomic_load_explicit(&current, memory_order_relaxed);
    assert(c->limit > 0);
    atomic_store_explicit(&reading, 0, memory_order_relaxed);
    return NULL;
}

void *updater(void *_) {
    struct config *fresh = malloc(sizeof *fresh);
    fresh->limit = 2;
    struct config *old = atomic_exchange_explicit(&current, fresh, memory_order_relaxed);
    while (atomic_load_explicit(&reading, memory_order_relaxed))
        ;
    free(old);
    return NULL;
}

int main(void) {
    struct config *first = malloc(sizeof *first);
    first->limit = 1;
    atomic_init(&current, first);
    pthread_t t0, t1;
    pthread_create(&t0, NULL, reader, NULL);
    pthread_create(&t1, NULL, updater, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
