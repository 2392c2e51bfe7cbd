// repair: fails=double-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

void *owner(void *_) {
    int *p = atomic_load(&shared);
    free(p);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    atomic_store(&shared, malloc(4));
    pthread_create(&t0, NULL, owner, NULL);
    pthread_create(&t1, NULL, owner, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
