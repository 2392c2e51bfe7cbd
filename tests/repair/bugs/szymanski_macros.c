// repair: changes=2 warns=once
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#define N 2
static atomic_int state[N];
static int in_cs;
#define LD(p) atomic_load_explicit(p, memory_order_acquire)
#define ST(p, v) atomic_store_explicit(p, v, memory_order_release)

static void szy_lock(int me) {
    int other = 1 - me;
    ST(&state[me], 1);
    while (LD(&state[other]) > 2)
        ;
    ST(&state[me], 3);
    if (LD(&state[other]) == 1) {
        ST(&state[me], 2);
        while (LD(&state[other]) != 4)
            ;
    }
    ST(&state[me], 4);
    if (me == 1)
        while (LD(&state[0]) >= 2)
            ;
}
static void szy_unlock(int me) {
    if (me == 0)
        for (int s = LD(&state[1]); s == 2 || s == 3; s = LD(&state[1]))
            ;
    ST(&state[me], 0);
}
static void *run(void *arg) {
    int me = (int)(long)arg;
    szy_lock(me);
    in_cs++;
    szy_unlock(me);
    return NULL;
}
int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, run, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(in_cs == N);
}
