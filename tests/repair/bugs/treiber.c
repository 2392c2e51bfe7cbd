// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { int value; struct node *next; };
static struct node nodes[1];
static _Atomic(struct node *) top;

void *push(void *_) {
    nodes[0].value = 7;
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    do
        nodes[0].next = old;
    while (!atomic_compare_exchange_strong_explicit(&top, &old, &nodes[0], memory_order_relaxed, memory_order_relaxed));
    return NULL;
}

void *pop(void *_) {
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    if (old != NULL && atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_relaxed, memory_order_relaxed))
        assert(old->value == 7);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, push, NULL);
    pthread_create(&t1, NULL, pop, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
