// Hazard pointers: M. Michael, "Hazard pointers: safe memory reclamation for lock-free objects", TPDS 15(6), 2004: a full
// fence between the announcement and the second look, and one before the list of announcements is read; the rest is
// release and acquire.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int value; };
static struct node *_Atomic shared, *_Atomic hazard;

static void *reader(void *_) {
    struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);
    atomic_store_explicit(&hazard, n, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (n && atomic_load_explicit(&shared, memory_order_acquire) == n)
        (void)*(volatile int *)&n->value;
    atomic_store_explicit(&hazard, 0, memory_order_release);
    return 0;
}

int main(void) {
    struct node *n = malloc(sizeof *n);
    n->value = 7;
    atomic_init(&shared, n);
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    struct node *old = atomic_exchange_explicit(&shared, 0, memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&hazard, memory_order_acquire) != old)
        free(old);
}
