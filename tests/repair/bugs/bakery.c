// repair: 
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int choosing[2], number[2];
static int counter;

static void use(int me) {
    int other = 1 - me;
    atomic_store_explicit(&choosing[me], 1, memory_order_relaxed);
    atomic_store_explicit(&number[me], atomic_load_explicit(&number[other], memory_order_relaxed) + 1, memory_order_relaxed);
    atomic_store_explicit(&choosing[me], 0, memory_order_relaxed);
    while (atomic_load_explicit(&choosing[other], memory_order_relaxed))
        ;
    for (;;) {
        int n = atomic_load_explicit(&number[other], memory_order_relaxed);
        int m = atomic_load_explicit(&number[me], memory_order_relaxed);
        if (n == 0 || m < n || (m == n && me < other))
            break;
    }
    counter++;
    atomic_store_explicit(&number[me], 0, memory_order_relaxed);
}

void *zero(void *_) { use(0); return NULL; }
void *one(void *_) { use(1); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, zero, NULL);
    pthread_create(&t1, NULL, one, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(counter == 2);
}
