// repair: changes=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_uint seq;
static atomic_int lo, hi;
static void *writer(void *a) {
    unsigned s = atomic_load_explicit(&seq, memory_order_relaxed);
    atomic_store_explicit(&seq, s + 1, memory_order_relaxed);
    atomic_store_explicit(&lo, 1, memory_order_relaxed);
    atomic_store_explicit(&hi, 1, memory_order_relaxed);
    atomic_store_explicit(&seq, s + 2, memory_order_relaxed);
    return 0;
}
static void *reader(void *a) {
    unsigned before = atomic_load_explicit(&seq, memory_order_relaxed);
    if (before & 1) return 0;
    int l = atomic_load_explicit(&lo, memory_order_relaxed);
    int h = atomic_load_explicit(&hi, memory_order_relaxed);
    if (atomic_load_explicit(&seq, memory_order_relaxed) == before)
        assert(l == h);
    return 0;
}
int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0); pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0); pthread_join(r, 0);
}
