// repair: fails=liveness
// A mutex in the manner of Drepper, with the wait modelled by a loop: the waker looks at the wrong state
#include <pthread.h>
#include <stdatomic.h>
static atomic_int state;   // 0 free, 1 taken, 2 taken and somebody waits
static atomic_int wakes;
static int data;
static void futex_wait(int seen) {
    int w = atomic_load(&wakes);
    if (atomic_load(&state) != seen) return;
    while (atomic_load(&wakes) == w) ;
}
static void lock(void) {
    int c = 0;
    if (atomic_compare_exchange_strong_explicit(&state, &c, 1, memory_order_acquire, memory_order_relaxed)) return;
    if (c != 2) c = atomic_exchange_explicit(&state, 2, memory_order_acquire);
    while (c != 0) {
        futex_wait(2);
        c = atomic_exchange_explicit(&state, 2, memory_order_acquire);
    }
}
static void unlock(void) {
    int c = atomic_load_explicit(&state, memory_order_relaxed);
    atomic_store_explicit(&state, 0, memory_order_release);
    if (c == 2) atomic_fetch_add(&wakes, 1);
}
static void *work(void *a) { lock(); data++; unlock(); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
    pthread_join(a, 0); pthread_join(b, 0);
}
