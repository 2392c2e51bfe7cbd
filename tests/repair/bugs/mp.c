// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int flag;
int data;

void *writer(void *_) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return NULL;
}

void *reader(void *_) {
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        assert(data == 1);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, writer, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
