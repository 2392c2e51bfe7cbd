// repair: fails=deadlock
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
atomic_bool ready;

void *consumer(void *_) {
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&cv, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

void *producer(void *_) {
    ready = 1; /* not under the mutex */
    pthread_cond_signal(&cv);
    return 0;
}

int main(void) {
    pthread_t c, p;
    pthread_create(&c, 0, consumer, 0);
    pthread_create(&p, 0, producer, 0);
    pthread_join(c, 0);
    pthread_join(p, 0);
}
