// repair: changes=5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node { _Atomic(struct node *) next; atomic_int locked; };
_Atomic(struct node *) tail;
int counter;

void lock(struct node *me) {
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, me, memory_order_relaxed);
    if (before != NULL) {
        atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
        atomic_store_explicit(&before->next, me, memory_order_relaxed);
        while (atomic_load_explicit(&me->locked, memory_order_relaxed))
            ;
    }
}

void unlock(struct node *me) {
    struct node *next = atomic_load_explicit(&me->next, memory_order_relaxed);
    if (next == NULL) {
        struct node *expected = me;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_relaxed, memory_order_relaxed))
            return;
        do {
            next = atomic_load_explicit(&me->next, memory_order_relaxed);
        } while (next == NULL);
    }
    atomic_store_explicit(&next->locked, 0, memory_order_relaxed);
}

struct node nodes[2];

void *worker(void *arg) {
    struct node *me = arg;
    for (int i = 0; i < 2; i++) {
        lock(me);
        counter++;
        unlock(me);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, &nodes[0]);
    pthread_create(&b, NULL, worker, &nodes[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 4);
}
