#include <pthread.h>
#include <stdatomic.h>

atomic_int turn;

void *first(void *unused) {
    while (atomic_load(&turn) != 0) { }
    atomic_store(&turn, 2);
    return 0;
}

void *second(void *unused) {
    while (atomic_load(&turn) != 1) { }
    atomic_store(&turn, 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
