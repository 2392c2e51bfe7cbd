// repair: fails=deadlock
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <stdatomic.h>
#include <pthread.h>
#include <limits.h>
static atomic_int state; /* 0 nobody, 1 waiting, 2 done */
static int value;
static void futex_wait(atomic_int *a, int v) { syscall(SYS_futex, a, FUTEX_WAIT_PRIVATE, v, 0, 0, 0); }
static void futex_wake(atomic_int *a) { syscall(SYS_futex, a, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0); }

static void *setter(void *a) {
    value = 7;
    int old = atomic_load_explicit(&state, memory_order_relaxed);
    atomic_store_explicit(&state, 2, memory_order_release);
    if (old == 1)
        futex_wake(&state);
    return 0;
}
static void *waiter(void *a) {
    int s = 0;
    if (atomic_compare_exchange_strong(&state, &s, 1)) {
        while (atomic_load_explicit(&state, memory_order_acquire) == 1)
            futex_wait(&state, 1);
    }
    return (void *)(long)value;
}
int main(void) {
    pthread_t s, w;
    pthread_create(&s, 0, setter, 0);
    pthread_create(&w, 0, waiter, 0);
    pthread_join(s, 0);
    pthread_join(w, 0);
}
