#include <stdatomic.h>

struct { int id; int parts[4]; } message;
atomic_int ready;

void producer(void) {
    message.parts[2] = 7;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
}

int consumer(void) {
    if (atomic_load_explicit(&ready, memory_order_acquire))
        return message.parts[2];
    return 0;
}
