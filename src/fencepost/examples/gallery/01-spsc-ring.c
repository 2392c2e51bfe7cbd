// fencepost: model=rc11 expect=race
// fencepost: model=rc11 expect=pass flags=-DFIXED
// A ring buffer that publishes its slots with a relaxed store
//
// One producer, one consumer. The index says "this slot is filled", but a relaxed store does not carry the slot's
// content along: the consumer may see the new index and the old slot. Works on x86, breaks on ARM.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define PUBLISH memory_order_release
#define OBSERVE memory_order_acquire
#else
#define PUBLISH memory_order_relaxed
#define OBSERVE memory_order_relaxed
#endif
#define SIZE 2

int slots[SIZE];
atomic_uint head, tail;

int push(int value) {
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    if (t - atomic_load_explicit(&head, OBSERVE) == SIZE)
        return 0;
    slots[t % SIZE] = value;
    atomic_store_explicit(&tail, t + 1, PUBLISH);
    return 1;
}

int pop(int *value) {
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    if (h == atomic_load_explicit(&tail, OBSERVE))
        return 0;
    *value = slots[h % SIZE];
    atomic_store_explicit(&head, h + 1, PUBLISH);
    return 1;
}

void *producer(void *unused) {
    push(1);
    push(2);
    return unused;
}

int main(void) {
    pthread_t thread;
    int value;
    pthread_create(&thread, 0, producer, 0);
    if (pop(&value))
        assert(value == 1);
    pthread_join(thread, 0);
}
