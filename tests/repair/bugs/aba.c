// repair: fails=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { _Atomic(struct node *) next; };
static struct node a, b;
static _Atomic(struct node *) top = &a;
static atomic_int b_used;

static struct node *pop(void) {
    struct node *old = atomic_load(&top);
    while (old != NULL && !atomic_compare_exchange_strong(&top, &old, atomic_load(&old->next)))
        ;
    return old;
}

static void push(struct node *n) {
    struct node *old = atomic_load(&top);
    do
        atomic_store(&n->next, old);
    while (!atomic_compare_exchange_strong(&top, &old, n));
}

void *slow(void *_) { pop(); return NULL; }

void *fast(void *_) {
    struct node *x = pop();
    struct node *y = pop();
    if (y == &b)
        atomic_store(&b_used, 1);
    if (x != NULL)
        push(x);
    return NULL;
}

int main(void) {
    pthread_t t0, t1;
    atomic_store(&a.next, &b);
    pthread_create(&t0, NULL, slow, NULL);
    pthread_create(&t1, NULL, fast, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(!(atomic_load(&b_used) && atomic_load(&top) == &b));
}
