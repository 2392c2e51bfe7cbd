// repair: changes=4 warns=once
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
static atomic_int readers;
static atomic_int writer;
static int a, b;
static void read_lock(void) {
    for (;;) {
        while (atomic_load_explicit(&writer, memory_order_acquire));
        atomic_fetch_add_explicit(&readers, 1, memory_order_acquire);
        if (!atomic_load_explicit(&writer, memory_order_acquire)) return;
        atomic_fetch_sub_explicit(&readers, 1, memory_order_release);
    }
}
static void read_unlock(void) { atomic_fetch_sub_explicit(&readers, 1, memory_order_release); }
static void write_lock(void) {
    while (atomic_exchange_explicit(&writer, 1, memory_order_acquire));
    while (atomic_load_explicit(&readers, memory_order_acquire));
}
static void write_unlock(void) { atomic_store_explicit(&writer, 0, memory_order_release); }
static void *r(void *_) { read_lock(); assert(a == b); read_unlock(); return 0; }
static void *w(void *_) { write_lock(); a++; b++; write_unlock(); return 0; }
int main(void) {
    pthread_t x, y;
    pthread_create(&x, 0, r, 0);
    pthread_create(&y, 0, w, 0);
    pthread_join(x, 0);
    pthread_join(y, 0);
}
