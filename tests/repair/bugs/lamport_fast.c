// repair: changes=2
/* Lamport's fast mutex, 1987 */
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
#define N 2
atomic_int x, y, b[N + 1];
int owner;
#define mo memory_order_acq_rel
static int ld(atomic_int *p) { return atomic_load_explicit(p, memory_order_acquire); }
static void st(atomic_int *p, int v) { atomic_store_explicit(p, v, memory_order_release); }

static void lock(int i) {
start:
    st(&b[i], 1);
    st(&x, i);
    if (ld(&y) != 0) {
        st(&b[i], 0);
        while (ld(&y) != 0);
        goto start;
    }
    st(&y, i);
    if (ld(&x) != i) {
        st(&b[i], 0);
        for (int j = 1; j <= N; j++)
            while (ld(&b[j]) != 0);
        if (ld(&y) != i) {
            while (ld(&y) != 0);
            goto start;
        }
    }
}
static void unlock(int i) {
    st(&y, 0);
    st(&b[i], 0);
}
static void *thread(void *a) {
    int i = (int)(size_t)a;
    lock(i);
    owner = i;
    if (owner != i) abort();
    unlock(i);
    return 0;
}
int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, thread, (void *)1);
    pthread_create(&t2, 0, thread, (void *)2);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
