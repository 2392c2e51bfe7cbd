// repair: changes=2
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_bool want_a, want_b;
static atomic_int turn;
static int inside;
static void critical(void) { int n = ++inside; assert(n == 1); --inside; }
static void *alice(void *x) {
    atomic_store_explicit(&want_a, 1, memory_order_seq_cst);
    if (!atomic_load_explicit(&want_b, memory_order_acquire)) critical();
    atomic_store_explicit(&want_a, 0, memory_order_release);
    return 0;
}
static void *bob(void *x) {
    atomic_store_explicit(&want_b, 1, memory_order_release);
    if (!atomic_load_explicit(&want_a, memory_order_seq_cst)) critical();
    atomic_store_explicit(&want_b, 0, memory_order_release);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, alice, 0); pthread_create(&b, 0, bob, 0);
    pthread_join(a, 0); pthread_join(b, 0);
}
