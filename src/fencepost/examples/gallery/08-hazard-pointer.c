// fencepost: model=rc11 expect=use-after-free
// fencepost: model=rc11 expect=pass flags=-DFIXED
// A hazard pointer that is announced too late
//
// The reader announces what it is going to read, then looks again. The announcement is a store, the look a load: without
// a seq_cst fence between them the reclaimer may look at the announcements before this one arrives.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE()
#endif

int *_Atomic shared;
int *_Atomic hazard;

void *reader(void *unused) {
    int *p = atomic_load_explicit(&shared, memory_order_acquire);
    atomic_store_explicit(&hazard, p, memory_order_release);
    FENCE();
    if (p == atomic_load_explicit(&shared, memory_order_acquire) && p)
        assert(*p == 1);
    atomic_store_explicit(&hazard, 0, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t thread;
    int *first = malloc(sizeof *first);
    *first = 1;
    atomic_store_explicit(&shared, first, memory_order_release);
    pthread_create(&thread, 0, reader, 0);
    atomic_store_explicit(&shared, 0, memory_order_release);
    FENCE();
    if (atomic_load_explicit(&hazard, memory_order_acquire) != first)
        free(first);
    pthread_join(thread, 0);
}
