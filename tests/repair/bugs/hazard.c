// repair: changes=5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int value; };
static _Atomic(struct node *) shared;
static _Atomic(struct node *) hazard;

void *reader(void *_) {
    struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);
    atomic_store_explicit(&hazard, n, memory_order_relaxed);
    if (atomic_load_explicit(&shared, memory_order_relaxed) == n && n != NULL) {
        int seen = n->value;
        (void)seen;
    }
    atomic_store_explicit(&hazard, NULL, memory_order_relaxed);
    return NULL;
}

void *reclaimer(void *_) {
    struct node *old = atomic_exchange_explicit(&shared, NULL, memory_order_relaxed);
    if (atomic_load_explicit(&hazard, memory_order_relaxed) != old)
        free(old);
    return NULL;
}

int main(void) {
    struct node *n = malloc(sizeof *n);
    n->value = 7;
    atomic_init(&shared, n);
    pthread_t t0, t1;
    pthread_create(&t0, NULL, reader, NULL);
    pthread_create(&t1, NULL, reclaimer, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
