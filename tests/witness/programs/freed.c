#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { long key; struct node *next; };
_Atomic(struct node *) head;

void *lookup(void *_) {
    struct node *n = atomic_load_explicit(&head, memory_order_acquire);
    return n ? (void *)n->next : 0;
}

int main(void) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->next = 0;
    atomic_store_explicit(&head, fresh, memory_order_release);
    pthread_t thread;
    pthread_create(&thread, 0, lookup, 0);
    atomic_store_explicit(&head, 0, memory_order_release);
    free(fresh);
    pthread_join(thread, 0);
}
