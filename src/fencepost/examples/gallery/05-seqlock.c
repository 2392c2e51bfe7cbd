// fencepost: model=rc11 expect=assertion
// fencepost: model=rc11 expect=pass flags=-DFIXED
// A sequence lock whose reader may see half an update
//
// The reader takes the number before and after; if it did not change, what was read belongs together. That takes an
// acquire fence between the data and the second look, and a release fence between the first number and the data.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define FENCE(order) atomic_thread_fence(memory_order_##order)
#else
#define FENCE(order)
#endif

atomic_uint sequence;
atomic_int left, right;

void *writer(void *unused) {
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    FENCE(release);
    atomic_store_explicit(&left, 1, memory_order_relaxed);
    atomic_store_explicit(&right, 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    int a = atomic_load_explicit(&left, memory_order_relaxed);
    int b = atomic_load_explicit(&right, memory_order_relaxed);
    FENCE(acquire);
    unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(a == b);
    pthread_join(thread, 0);
}
