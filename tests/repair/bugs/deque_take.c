// repair: changes=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int top, bottom;
static atomic_int tasks[4];
static atomic_int taken[4];
static void put(int t) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&tasks[b], t, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}
static int take(void) {
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) { atomic_store_explicit(&bottom, b + 1, memory_order_relaxed); return -1; }
    int x = atomic_load_explicit(&tasks[b], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong(&top, &t, t + 1)) x = -1;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return x;
}
static int steal(void) {
    int t = atomic_load_explicit(&top, memory_order_acquire);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b) return -1;
    int x = atomic_load_explicit(&tasks[t], memory_order_relaxed);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? x : -1;
}
static void mark(int x) { if (x >= 0) assert(atomic_fetch_add(&taken[x], 1) == 0); }
static void *owner(void *a) { put(0); put(1); mark(take()); mark(take()); return 0; }
static void *thief(void *a) { mark(steal()); mark(steal()); return 0; }
int main(void) {
    pthread_t o, t;
    pthread_create(&o, 0, owner, 0); pthread_create(&t, 0, thief, 0);
    pthread_join(o, 0); pthread_join(t, 0);
}
