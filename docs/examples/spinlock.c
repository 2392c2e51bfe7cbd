// fencepost: model=rc11 expect=pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken;
int counter;

void lock(void) {
    while (atomic_exchange(&taken, 1))
        ;
}

void unlock(void) {
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store(&taken, 0);
}

void *worker(void *_) {
    for (int i = 0; i < 2; i++) {
        lock();
        counter++;
        unlock();
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 4);
}
