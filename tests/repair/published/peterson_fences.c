// Peterson's lock (IPL 12(3), 1981) with fences: a full one behind each store before the wait, an acquiring one behind it,
// a releasing one before the last store.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int counter;

static void use(int me) {
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&flag[1 - me], memory_order_relaxed) && atomic_load_explicit(&turn, memory_order_relaxed) == 1 - me)
        ;
    atomic_thread_fence(memory_order_acquire);
    counter++;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag[me], 0, memory_order_relaxed);
}

static void *zero(void *_) { use(0); use(0); return 0; }
static void *one(void *_) { use(1); use(1); return 0; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, zero, 0);
    pthread_create(&t1, 0, one, 0);
}
