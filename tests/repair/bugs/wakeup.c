// repair: fails=deadlock
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The flag is set without the lock: it may change between the test and the wait, and then the signal is lost. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static atomic_int done;

void *waiter(void *_) {
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&done))
        pthread_cond_wait(&ready, &mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t0;
    pthread_create(&t0, NULL, waiter, NULL);
    atomic_store(&done, 1);
    pthread_cond_signal(&ready);
    pthread_join(t0, NULL);
}
