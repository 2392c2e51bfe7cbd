// A central barrier with a sense: J. Mellor-Crummey and M. Scott, "Algorithms for scalable synchronization on shared-memory
// multiprocessors", TOCS 9(1), 1991, algorithm 7; the orders are those of a release at arrival and an acquire at the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { N = 2 };
static atomic_int count = N, sense;
static int part[N];

static void wait(int *mine) {
    *mine = !*mine;
    if (atomic_fetch_sub_explicit(&count, 1, memory_order_acq_rel) == 1) {
        atomic_store_explicit(&count, N, memory_order_relaxed);
        atomic_store_explicit(&sense, *mine, memory_order_release);
    } else {
        while (atomic_load_explicit(&sense, memory_order_acquire) != *mine)
            ;
    }
}

static void work(int me) {
    int mine = 0;
    part[me] = 1;
    wait(&mine);
    assert(part[1 - me] == 1);
    wait(&mine);
    part[me] = 2;
    wait(&mine);
    assert(part[1 - me] == 2);
}

static void *zero(void *_) { work(0); return 0; }
static void *one(void *_) { work(1); return 0; }

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, zero, 0);
    pthread_create(&t[1], 0, one, 0);
}
