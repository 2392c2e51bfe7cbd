#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) head;

void *lookup(void *unused) {
    struct node *n = atomic_load_explicit(&head, memory_order_acquire);
    if (n && n->value == 7) return n;
    return 0;
}

int main(void) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = 7;
    fresh->next = 0;
    atomic_store_explicit(&head, fresh, memory_order_release);
    pthread_t t;
    pthread_create(&t, 0, lookup, 0);
    atomic_store_explicit(&head, 0, memory_order_release);
    free(fresh);
    pthread_join(t, 0);
}
