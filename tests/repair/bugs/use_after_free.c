// repair: fails=use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

void *reader(void *_) {
    int *p = atomic_load(&shared);
    if (p != NULL)
        assert(*p == 1);
    return NULL;
}

void *owner(void *_) {
    int *p = atomic_exchange(&shared, NULL);
    free(p);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    int *p = malloc(sizeof *p); *p = 1; atomic_store(&shared, p);
    pthread_create(&t0, NULL, reader, NULL);
    pthread_create(&t1, NULL, owner, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
