// repair: changes=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct thing { atomic_int count; int value; };
static struct thing *shared;

static void drop(struct thing *p) {
    if (atomic_fetch_sub_explicit(&p->count, 1, memory_order_relaxed) == 1)
        free(p);
}

void *user(void *_) {
    int seen = shared->value;
    (void)seen;
    drop(shared);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    shared = malloc(sizeof *shared); shared->value = 1; atomic_init(&shared->count, 2);
    pthread_create(&t0, NULL, user, NULL);
    pthread_create(&t1, NULL, user, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
