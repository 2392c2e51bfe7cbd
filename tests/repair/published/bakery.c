// The bakery: L. Lamport, "A new solution of Dijkstra's concurrent programming problem", CACM 17(8), 1974.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int choosing[2], number[2];
static int counter;

static void use(int me) {
    int other = 1 - me;
    atomic_store_explicit(&choosing[me], 1, memory_order_seq_cst);
    int mine = atomic_load_explicit(&number[other], memory_order_seq_cst) + 1;
    atomic_store_explicit(&number[me], mine, memory_order_seq_cst);
    atomic_store_explicit(&choosing[me], 0, memory_order_seq_cst);
    while (atomic_load_explicit(&choosing[other], memory_order_seq_cst))
        ;
    for (;;) {
        int n = atomic_load_explicit(&number[other], memory_order_seq_cst);
        if (n == 0 || mine < n || (mine == n && me < other))
            break;
    }
    counter++;
    atomic_store_explicit(&number[me], 0, memory_order_seq_cst);
}

static void *zero(void *_) { use(0); return 0; }
static void *one(void *_) { use(1); return 0; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, 0, zero, 0);
    pthread_create(&t1, 0, one, 0);
}
