// repair: declares=counter
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int counter;

void *worker(void *_) { counter++; return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, worker, NULL);
    pthread_create(&t1, NULL, worker, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(counter == 2);
}
