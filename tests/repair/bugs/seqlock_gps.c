// repair: changes=2
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_uint seq;
static atomic_int lat, lon;
static void *gps(void *_) {
    for (int i = 1; i <= 2; i++) {
        unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
        atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&lat, i, memory_order_relaxed);
        atomic_store_explicit(&lon, -i, memory_order_relaxed);
        atomic_store_explicit(&seq, s + 2, memory_order_relaxed);
    }
    return 0;
}
static void *map(void *_) {
    unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
    int x = atomic_load_explicit(&lat, memory_order_relaxed);
    int y = atomic_load_explicit(&lon, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (!(s & 1) && atomic_load_explicit(&seq, memory_order_relaxed) == s)
        assert(x == -y);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, gps, 0);
    pthread_create(&b, 0, map, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
