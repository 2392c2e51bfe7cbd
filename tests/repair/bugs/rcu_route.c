// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct route { int metric; int hops; };
static _Atomic(struct route *) current;
static void *update(void *a) {
    struct route *r = malloc(sizeof *r);
    r->metric = 10; r->hops = 2;
    atomic_store_explicit(&current, r, memory_order_relaxed);
    return 0;
}
static void *lookup(void *a) {
    struct route *r = atomic_load_explicit(&current, memory_order_relaxed);
    if (r) assert(r->metric == 10);
    return 0;
}
int main(void) {
    pthread_t u, l;
    pthread_create(&u, 0, update, 0); pthread_create(&l, 0, lookup, 0);
    pthread_join(u, 0); pthread_join(l, 0);
    free(atomic_load(&current));
}
