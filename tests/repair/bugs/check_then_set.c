// repair: fails=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int taken;
int counter;

static void lock(void) {
    while (atomic_load(&taken))
        ;
    atomic_store(&taken, 1);
}

static void unlock(void) { atomic_store(&taken, 0); }

void *worker(void *_) { lock(); counter++; unlock(); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(counter == 2);
}
