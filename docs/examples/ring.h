#include <stdatomic.h>
#include <stdbool.h>

#define SIZE 2

typedef struct {
    int slots[SIZE];
    atomic_uint head, tail;
} ring;

static bool ring_push(ring *r, int value) {
    unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    if (tail - atomic_load_explicit(&r->head, memory_order_acquire) == SIZE)
        return false;
    r->slots[tail % SIZE] = value;
    atomic_store_explicit(&r->tail, tail + 1, memory_order_relaxed);
    return true;
}

static bool ring_pop(ring *r, int *value) {
    unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
    if (head == atomic_load_explicit(&r->tail, memory_order_acquire))
        return false;
    *value = r->slots[head % SIZE];
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return true;
}
