// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int flag, data;

void *writer(void *_) { data = 1; __atomic_store_n(&flag, 1, __ATOMIC_RELAXED); return NULL; }
void *reader(void *_) { if (__atomic_load_n(&flag, __ATOMIC_RELAXED)) assert(data == 1); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, writer, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
