// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define READ(p) atomic_load_explicit(p, memory_order_relaxed)
#define WRITE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
atomic_int flag;
int data;

void *writer(void *_) { data = 1; WRITE(&flag, 1); return NULL; }
void *reader(void *_) { if (READ(&flag)) assert(data == 1); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, writer, NULL);
    pthread_create(&t1, NULL, reader, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
