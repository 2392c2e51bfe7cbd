// RCU by quiescent states: M. Desnoyers et al., "User-level implementations of read-copy update", TPDS 23(2), 2012:
// publication by release and acquire (for consume), a reader that is quiescent with a full fence between its sections,
// and one in the grace period.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config { int limit; };
static struct config *_Atomic current;
static atomic_int section;

static void *reader(void *_) {
    for (int i = 0; i < 2; i++) {
        atomic_store_explicit(&section, 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        struct config *c = atomic_load_explicit(&current, memory_order_acquire);
        assert(c->limit > 0);
        atomic_store_explicit(&section, 0, memory_order_release);
    }
    return 0;
}

int main(void) {
    struct config *old = malloc(sizeof *old);
    old->limit = 1;
    atomic_init(&current, old);
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    struct config *fresh = malloc(sizeof *fresh);
    fresh->limit = 2;
    atomic_store_explicit(&current, fresh, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&section, memory_order_acquire))
        ;
    free(old);
}
