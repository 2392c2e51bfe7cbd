// repair: warns=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int want[2], turn;
int counter;

static void enter(int me) {
    atomic_store_explicit(&want[me], 1, memory_order_relaxed);
    atomic_store_explicit(&turn, 1 - me, memory_order_relaxed);
    while (atomic_load_explicit(&want[1 - me], memory_order_relaxed) && atomic_load_explicit(&turn, memory_order_relaxed) == 1 - me)
        ;
    counter++;
    atomic_store_explicit(&want[me], 0, memory_order_relaxed);
}

void *zero(void *_) { enter(0); return NULL; }
void *one(void *_) { enter(1); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, zero, NULL);
    pthread_create(&t1, NULL, one, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(counter == 2);
}
