// repair: fails=deadlock
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int items;
static void *producer(void *a) {
    pthread_cond_signal(&ready);
    pthread_mutex_lock(&lock);
    items++;
    pthread_mutex_unlock(&lock);
    return 0;
}
static void *consumer(void *a) {
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&ready, &lock);
    items--;
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t p, c;
    pthread_create(&c, 0, consumer, 0); pthread_create(&p, 0, producer, 0);
    pthread_join(p, 0); pthread_join(c, 0);
}
