// repair: changes=3
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#define N 3
atomic_int level[N], victim[N];
int shared;

void filter_lock(int me) {
    for (int l = 1; l < N; l++) {
        atomic_store_explicit(&level[me], l, memory_order_relaxed);
        atomic_store_explicit(&victim[l], me, memory_order_relaxed);
        for (int k = 0; k < N; k++) {
            if (k == me)
                continue;
            while (atomic_load_explicit(&level[k], memory_order_acquire) >= l &&
                   atomic_load_explicit(&victim[l], memory_order_acquire) == me)
                ;
        }
    }
}
void filter_unlock(int me) {
    atomic_store_explicit(&level[me], 0, memory_order_release);
}
void *body(void *p) {
    int me = *(int *)p;
    filter_lock(me);
    shared = shared + 1;
    filter_unlock(me);
    return 0;
}
int main() {
    pthread_t a, b, c;
    int ids[N] = {0, 1, 2};
    pthread_create(&a, 0, body, &ids[0]);
    pthread_create(&b, 0, body, &ids[1]);
    pthread_create(&c, 0, body, &ids[2]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(shared == 3);
}
