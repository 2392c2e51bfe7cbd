// Dekker's lock: E. W. Dijkstra, EWD 123, 1965, for memory that is sequentially consistent.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int counter;

static void use(int me) {
    atomic_store_explicit(&wants[me], 1, memory_order_seq_cst);
    while (atomic_load_explicit(&wants[1 - me], memory_order_seq_cst))
        if (atomic_load_explicit(&turn, memory_order_seq_cst) != me) {
            atomic_store_explicit(&wants[me], 0, memory_order_seq_cst);
            while (atomic_load_explicit(&turn, memory_order_seq_cst) != me)
                ;
            atomic_store_explicit(&wants[me], 1, memory_order_seq_cst);
        }
    counter++;
    atomic_store_explicit(&turn, 1 - me, memory_order_seq_cst);
    atomic_store_explicit(&wants[me], 0, memory_order_seq_cst);
}

static void *zero(void *_) { use(0); use(0); return 0; }
static void *one(void *_) { use(1); use(1); return 0; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, zero, 0);
    pthread_create(&t1, 0, one, 0);
}
