// repair: changes=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int mine, yours;
int inside;

void *left(void *_) {
    atomic_store_explicit(&mine, 1, memory_order_relaxed);
    if (atomic_load_explicit(&yours, memory_order_relaxed) == 0)
        inside++;
    return NULL;
}

void *right(void *_) {
    atomic_store_explicit(&yours, 1, memory_order_relaxed);
    if (atomic_load_explicit(&mine, memory_order_relaxed) == 0)
        inside++;
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, left, NULL);
    pthread_create(&t1, NULL, right, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
