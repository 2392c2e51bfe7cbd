// fencepost: model=rc11 expect=race
#include <assert.h>
#include <pthread.h>
#include "ring.h"

static ring shared;

static void *first(void *arg) {
    ring_push(&shared, 1);
    ring_push(&shared, 2);
    return 0;
}

static void *second(void *arg) {
    int value, last = 0;
    for (int tries = 0; tries < 3; tries++)
        if (ring_pop(&shared, &value)) {
            assert(value == last + 1);
            last = value;
        }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
