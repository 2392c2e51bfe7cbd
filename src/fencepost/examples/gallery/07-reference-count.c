// fencepost: model=rc11 expect=use-after-free
// fencepost: model=rc11 expect=pass flags=-DFIXED
// A reference count that is decremented with relaxed
//
// Whoever takes the count to zero frees the object. The accesses of the others must come before that: each decrement
// releases, and the last one acquires.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
#define DROP memory_order_acq_rel
#else
#define DROP memory_order_relaxed
#endif

struct object {
    atomic_int count;
    int value;
};

struct object *shared;

void drop(struct object *o) {
    if (atomic_fetch_sub_explicit(&o->count, 1, DROP) == 1)
        free(o);
}

void *user(void *unused) {
    shared->value = 5;
    drop(shared);
    return unused;
}

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    atomic_init(&shared->count, 2);
    pthread_create(&thread, 0, user, 0);
    drop(shared);
    pthread_join(thread, 0);
}
