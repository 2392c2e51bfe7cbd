// repair: changes=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct obj { int data; };
static _Atomic(struct obj *) shared, hazard;
static void *reader(void *a) {
    struct obj *o = atomic_load_explicit(&shared, memory_order_acquire);
    if (!o) return 0;
    atomic_store_explicit(&hazard, o, memory_order_release);
    if (atomic_load_explicit(&shared, memory_order_acquire) == o)
        assert(o->data == 5);
    atomic_store_explicit(&hazard, 0, memory_order_release);
    return 0;
}
static void *reclaimer(void *a) {
    struct obj *o = atomic_exchange_explicit(&shared, 0, memory_order_acq_rel);
    if (atomic_load_explicit(&hazard, memory_order_acquire) != o)
        free(o);
    return 0;
}
int main(void) {
    struct obj *o = malloc(sizeof *o);
    o->data = 5;
    atomic_init(&shared, o);
    pthread_t r, c;
    pthread_create(&r, 0, reader, 0); pthread_create(&c, 0, reclaimer, 0);
    pthread_join(r, 0); pthread_join(c, 0);
}
