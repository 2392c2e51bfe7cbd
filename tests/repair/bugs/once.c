// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int state;
static int value;

static void init(void) {
    int none = 0;
    if (atomic_compare_exchange_strong_explicit(&state, &none, 1, memory_order_relaxed, memory_order_relaxed)) {
        value = 5;
        atomic_store_explicit(&state, 2, memory_order_relaxed);
    } else {
        while (atomic_load_explicit(&state, memory_order_relaxed) != 2)
            ;
    }
}

void *user(void *_) { init(); assert(value == 5); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, user, NULL);
    pthread_create(&t1, NULL, user, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
