// fencepost: model=rc11 expect=use-after-free
// fencepost: model=rc11 expect=pass flags=-DFIXED
// A lock-free stack whose pop reads a node that is already freed
//
// Between reading `top` and reading `top->next` another thread may pop and free the node. The repair here never frees
// while others may look (real code: hazard pointers, epochs, or a counter beside the pointer).
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *_Atomic next;
};

struct node *_Atomic top;

void push(struct node *n) {
    struct node *old = atomic_load(&top);
    do {
        atomic_store(&n->next, old);
    } while (!atomic_compare_exchange_strong(&top, &old, n));
}

struct node *pop(void) {
    struct node *old = atomic_load(&top);
    while (old && !atomic_compare_exchange_strong(&top, &old, atomic_load(&old->next)))
        ;
    return old;
}

void *popper(void *unused) {
    struct node *n = pop();
#ifndef FIXED
    free(n);
#else
    (void)n; /* kept until nobody looks */
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    push(malloc(sizeof(struct node)));
    pthread_create(&a, 0, popper, 0);
    pthread_create(&b, 0, popper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
