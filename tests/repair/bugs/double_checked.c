// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct thing { int value; };
static struct thing storage;
static _Atomic(struct thing *) instance;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct thing *get(void) {
    struct thing *p = atomic_load_explicit(&instance, memory_order_relaxed);
    if (p == NULL) {
        pthread_mutex_lock(&mutex);
        p = atomic_load_explicit(&instance, memory_order_relaxed);
        if (p == NULL) {
            storage.value = 42;
            p = &storage;
            atomic_store_explicit(&instance, p, memory_order_relaxed);
        }
        pthread_mutex_unlock(&mutex);
    }
    return p;
}

void *user(void *_) {
    assert(get()->value == 42);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, user, NULL);
    pthread_create(&t1, NULL, user, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
