// fencepost: model=rc11 expect=race
// fencepost: model=rc11 expect=pass flags=-DFIXED
// Peterson's lock with release and acquire only
//
// Each thread says "I want to" and then looks whether the other wants to. Without seq_cst both may look before the
// other's word arrives (store buffering), and both enter. This fails on x86, too.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define SAY memory_order_seq_cst
#define LOOK memory_order_seq_cst
#else
#define SAY memory_order_release
#define LOOK memory_order_acquire
#endif

atomic_int wants[2], turn;
int counter;

void *worker(void *argument) {
    int me = argument != 0, other = 1 - me;
    atomic_store_explicit(&wants[me], 1, SAY);
    atomic_store_explicit(&turn, other, SAY);
    while (atomic_load_explicit(&wants[other], LOOK) && atomic_load_explicit(&turn, LOOK) == other)
        ;
    counter++;
    atomic_store_explicit(&wants[me], 0, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, &counter);
    worker(0);
    pthread_join(thread, 0);
    assert(counter == 2);
}
