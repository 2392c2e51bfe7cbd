// The bounded MPMC queue of D. Vyukov, 1024cores.net.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 2 };
struct cell {
    atomic_uint sequence;
    int value;
};
static struct cell cells[SIZE] = {{0, 0}, {1, 0}};
static atomic_uint enqueue_at, dequeue_at;

static int enqueue(int value) {
    unsigned at = atomic_load_explicit(&enqueue_at, memory_order_relaxed);
    struct cell *c = &cells[at % SIZE];
    if (atomic_load_explicit(&c->sequence, memory_order_acquire) != at)
        return 0;
    if (!atomic_compare_exchange_strong_explicit(&enqueue_at, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
        return 0;
    c->value = value;
    atomic_store_explicit(&c->sequence, at + 1, memory_order_release);
    return 1;
}

static int dequeue(int *value) {
    unsigned at = atomic_load_explicit(&dequeue_at, memory_order_relaxed);
    struct cell *c = &cells[at % SIZE];
    if (atomic_load_explicit(&c->sequence, memory_order_acquire) != at + 1)
        return 0;
    if (!atomic_compare_exchange_strong_explicit(&dequeue_at, &at, at + 1, memory_order_relaxed, memory_order_relaxed))
        return 0;
    *value = c->value;
    atomic_store_explicit(&c->sequence, at + SIZE, memory_order_release);
    return 1;
}

static void *producer(void *_) {
    enqueue(1);
    enqueue(2);
    enqueue(3);
    return 0;
}

static void *consumer(void *_) {
    int got;
    if (dequeue(&got))
        assert(got > 0);
    return 0;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, producer, 0);
    pthread_create(&t[1], 0, consumer, 0);
    int got;
    if (dequeue(&got))
        assert(got > 0);
}
