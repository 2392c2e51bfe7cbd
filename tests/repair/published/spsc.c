// A ring for one producer and one consumer: the orders of boost::lockfree::spsc_queue (ringbuffer_base), 1.81.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 2 };
static atomic_uint write_index, read_index;
static int cells[SIZE];

static int push(int value) {
    unsigned w = atomic_load_explicit(&write_index, memory_order_relaxed);
    if ((w + 1) % SIZE == atomic_load_explicit(&read_index, memory_order_acquire))
        return 0;
    cells[w] = value;
    atomic_store_explicit(&write_index, (w + 1) % SIZE, memory_order_release);
    return 1;
}

static int pop(int *value) {
    unsigned r = atomic_load_explicit(&read_index, memory_order_relaxed);
    if (r == atomic_load_explicit(&write_index, memory_order_acquire))
        return 0;
    *value = cells[r];
    atomic_store_explicit(&read_index, (r + 1) % SIZE, memory_order_release);
    return 1;
}

static void *producer(void *_) {
    for (int i = 1; i <= 3; i++)
        push(i);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    int got, last = 0;
    for (int i = 0; i < 3; i++)
        if (pop(&got)) {
            assert(got > last);
            last = got;
        }
}
