// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int slots[2];
static atomic_int head, tail;

void *producer(void *_) {
    for (int i = 0; i < 2; i++) {
        int t = atomic_load_explicit(&tail, memory_order_relaxed);
        slots[t % 2] = i + 1;
        atomic_store_explicit(&tail, t + 1, memory_order_relaxed);
    }
    return NULL;
}

void *consumer(void *_) {
    for (int i = 0; i < 2; i++) {
        int h = atomic_load_explicit(&head, memory_order_relaxed);
        if (atomic_load_explicit(&tail, memory_order_relaxed) == h)
            return NULL;
        assert(slots[h % 2] == h + 1);
        atomic_store_explicit(&head, h + 1, memory_order_relaxed);
    }
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, producer, NULL);
    pthread_create(&t1, NULL, consumer, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
