// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Many producers, one consumer: the tail is exchanged, and the node before it is linked. */
struct node { _Atomic(struct node *) next; int value; };
static struct node stub, nodes[2];
static _Atomic(struct node *) tail = &stub;

static void push(struct node *n, int value) {
    n->value = value;
    struct node *before = atomic_exchange_explicit(&tail, n, memory_order_relaxed);
    atomic_store_explicit(&before->next, n, memory_order_relaxed);
}

void *first(void *_) { push(&nodes[0], 1); return NULL; }
void *second(void *_) { push(&nodes[1], 2); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, first, NULL);
    pthread_create(&t1, NULL, second, NULL);
    struct node *n = &stub;
    for (int i = 0; i < 2; i++) {
        n = atomic_load_explicit(&n->next, memory_order_relaxed);
        if (n == NULL) break;
        assert(n->value != 0);
    }
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
