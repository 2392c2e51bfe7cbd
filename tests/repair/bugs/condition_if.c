// repair: fails=assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

void *consumer(void *_) {
    pthread_mutex_lock(&mutex);
    if (items == 0)
        pthread_cond_wait(&filled, &mutex);
    items--;
    assert(items >= 0);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, consumer, NULL);
    pthread_create(&t1, NULL, consumer, NULL);
    pthread_mutex_lock(&mutex);
    items = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&mutex);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
