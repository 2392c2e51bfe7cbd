// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#define N 2
static atomic_int left = N;
static atomic_bool sense;
static int part[N];
static void barrier(bool *mine) {
    *mine = !*mine;
    if (atomic_fetch_sub_explicit(&left, 1, memory_order_relaxed) == 1) {
        atomic_store_explicit(&left, N, memory_order_relaxed);
        atomic_store_explicit(&sense, *mine, memory_order_relaxed);
    } else
        while (atomic_load_explicit(&sense, memory_order_relaxed) != *mine) ;
}
static void *worker(void *arg) {
    int me = *(int *)arg;
    bool mine = false;
    part[me] = me + 1;
    barrier(&mine);
    int sum = part[0] + part[1];
    assert(sum == 3);
    return 0;
}
int main(void) {
    int id[N] = {0, 1};
    pthread_t t[N];
    for (int i = 0; i < N; i++) pthread_create(&t[i], 0, worker, &id[i]);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
}
