// repair: changes=3
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_long top, bottom;
static atomic_int tasks[4];
static atomic_int done[4];
static void push(int t) {
    long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&tasks[b & 3], t, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}
static int take(void) {
    long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    /* missing: atomic_thread_fence(memory_order_seq_cst); */
    long t = atomic_load_explicit(&top, memory_order_relaxed);
    int r = -1;
    if (t <= b) {
        r = atomic_load_explicit(&tasks[b & 3], memory_order_relaxed);
        if (t == b) {
            if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
                r = -1;
            atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        }
    } else
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return r;
}
static int steal(void) {
    long t = atomic_load_explicit(&top, memory_order_acquire);
    /* missing: fence */
    long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b) return -1;
    int r = atomic_load_explicit(&tasks[t & 3], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
        return -1;
    return r;
}
static void run(int t) { if (t >= 0) assert(atomic_exchange(&done[t], 1) == 0); }
static void *thief(void *a) { run(steal()); run(steal()); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thief, 0);
    push(0);
    push(1);
    run(take());
    run(take());
    pthread_join(t, 0);
}
