// repair: 
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int x, y;
int a, b, c, d;

void *left(void *_) { atomic_store_explicit(&x, 1, memory_order_relaxed); return NULL; }
void *right(void *_) { atomic_store_explicit(&y, 1, memory_order_relaxed); return NULL; }

void *first(void *_) {
    a = atomic_load_explicit(&x, memory_order_relaxed);
    b = atomic_load_explicit(&y, memory_order_relaxed);
    return NULL;
}

void *second(void *_) {
    c = atomic_load_explicit(&y, memory_order_relaxed);
    d = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void) {
    pthread_t t0, t1, t2, t3;
    pthread_create(&t0, NULL, left, NULL);
    pthread_create(&t1, NULL, right, NULL);
    pthread_create(&t2, NULL, first, NULL);
    pthread_create(&t3, NULL, second, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    assert(!(a == 1 && b == 0 && c == 1 && d == 0));
}
