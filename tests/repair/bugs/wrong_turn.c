// repair: fails=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Peterson's lock with the turn given to oneself: two threads go in also without any reordering. */
static atomic_int flag[2], turn;
static int counter;

static void use(int me) {
    atomic_store(&flag[me], 1);
    atomic_store(&turn, me);
    while (atomic_load(&flag[1 - me]) && atomic_load(&turn) == 1 - me)
        ;
    counter++;
    atomic_store(&flag[me], 0);
}

void *zero(void *_) { use(0); return NULL; }
void *one(void *_) { use(1); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, zero, NULL);
    pthread_create(&t1, NULL, one, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
