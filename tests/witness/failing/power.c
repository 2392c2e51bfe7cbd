#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Two workers, each with its flag up, look for the other one. */
atomic_int flag[2], inside;

static void enter(int me) {
    atomic_store_explicit(&flag[me], 1, memory_order_release);
    if (atomic_load_explicit(&flag[1 - me], memory_order_acquire) == 0) {
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
    }
    atomic_store_explicit(&flag[me], 0, memory_order_release);
}

void *left(void *unused) { enter(0); return 0; }
void *right(void *unused) { enter(1); return 0; }

int main(void) {
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
}
