#include <assert.h>
#include <pthread.h>

volatile int data, ready;

void *writer(void *unused) {
    data = 42;
    ready = 1;
    return 0;
}

void *reader(void *unused) {
    if (ready == 1)
        assert(data == 42);
    return 0;
}

int main(void) {
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
}
