// repair: fails=deadlock
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

void *ab(void *_) {
    pthread_mutex_lock(&a); pthread_mutex_lock(&b);
    n++;
    pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
    return NULL;
}

void *ba(void *_) {
    pthread_mutex_lock(&b); pthread_mutex_lock(&a);
    n++;
    pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, ab, NULL);
    pthread_create(&t1, NULL, ba, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
