// fencepost: model=rc11 expect=bounded unroll=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int stop, rounds;

void *worker(void *arg) {
    while (!atomic_load(&stop))
        atomic_fetch_add(&rounds, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    atomic_store(&stop, 1);
    pthread_join(thread, 0);
    assert(atomic_load(&rounds) >= 0);
}
