// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config { int size; };
static struct config first;
static _Atomic(struct config *) current;

void *update(void *_) {
    first.size = 3;
    atomic_store_explicit(&current, &first, memory_order_relaxed);
    return NULL;
}

void *use(void *_) {
    struct config *c = atomic_load_explicit(&current, memory_order_relaxed);
    if (c != NULL)
        assert(c->size == 3);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, update, NULL);
    pthread_create(&t1, NULL, use, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
