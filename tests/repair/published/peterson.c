// Peterson's lock (IPL 12(3), 1981) with an exchange for the turn and acquiring loads, as A. Williams proposed for C++ in 2008.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int counter;

static void lock(int me) {
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
    atomic_exchange_explicit(&turn, 1 - me, memory_order_acq_rel);
    while (atomic_load_explicit(&flag[1 - me], memory_order_acquire) && atomic_load_explicit(&turn, memory_order_acquire) == 1 - me)
        ;
}

static void unlock(int me) { atomic_store_explicit(&flag[me], 0, memory_order_release); }

static void use(int me) {
    for (int i = 0; i < 2; i++) {
        lock(me);
        counter++;
        unlock(me);
    }
}

static void *zero(void *_) { use(0); return 0; }
static void *one(void *_) { use(1); return 0; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, zero, 0);
    pthread_create(&t1, 0, one, 0);
}
