// repair: fails=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
typedef struct node { struct node *next; int value; } node;
static node a, b;
static _Atomic(node *) top;
static node *pop(void) {
    node *t = atomic_load(&top);
    while (t) {
        node *next = t->next;
        if (atomic_compare_exchange_strong(&top, &t, next)) return t;
    }
    return 0;
}
static void push(node *n) {
    node *t = atomic_load(&top);
    do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n));
}
static atomic_int owner_b;
static void *one(void *x) { node *n = pop(); if (n == &b) assert(atomic_fetch_add(&owner_b, 1) == 0); n = pop(); if (n == &b) assert(atomic_fetch_add(&owner_b, 1) == 0); return 0; }
static void *two(void *x) {
    node *first = pop(), *second = pop();
    if (second == &b) assert(atomic_fetch_add(&owner_b, 1) == 0);
    if (first) push(first);
    return 0;
}
int main(void) {
    a.next = &b; atomic_init(&top, &a);
    pthread_t p, q;
    pthread_create(&p, 0, one, 0); pthread_create(&q, 0, two, 0);
    pthread_join(p, 0); pthread_join(q, 0);
}
