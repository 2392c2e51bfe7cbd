// repair: 
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int arrived, phase;
static int data[2];

static void wait(void) {
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed) == 1)
        atomic_store_explicit(&phase, 1, memory_order_relaxed);
    else
        while (atomic_load_explicit(&phase, memory_order_relaxed) == 0)
            ;
}

void *zero(void *_) { data[0] = 1; wait(); assert(data[1] == 1); return NULL; }
void *one(void *_) { data[1] = 1; wait(); assert(data[0] == 1); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, zero, NULL);
    pthread_create(&t1, NULL, one, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
