// fencepost: model=rc11 expect=race
// fencepost: model=rc11 expect=pass flags=-DFIXED
// A ticket lock that is released with a relaxed store
//
// "Only the owner writes `serving`, so it needs no order": but the next owner must see what this one did.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define UNLOCK memory_order_release
#else
#define UNLOCK memory_order_relaxed
#endif

atomic_uint next, serving;
int counter;

void lock(void) {
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        ;
}

void unlock(void) {
    unsigned now = atomic_load_explicit(&serving, memory_order_relaxed);
    atomic_store_explicit(&serving, now + 1, UNLOCK);
}

void *worker(void *unused) {
    lock();
    counter++;
    unlock();
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
}
