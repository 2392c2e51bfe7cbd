// The queue for many producers and one consumer of D. Vyukov, 1024cores.net: the stub, the exchange, and the link behind it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    struct node *_Atomic next;
    int value;
};
static struct node stub, nodes[2];
static struct node *_Atomic head = &stub;
static struct node *tail = &stub;

static void push(struct node *n, int value) {
    n->value = value;
    atomic_store_explicit(&n->next, 0, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&head, n, memory_order_acq_rel);
    atomic_store_explicit(&before->next, n, memory_order_release);
}

static int pop(int *value) {
    struct node *n = atomic_load_explicit(&tail->next, memory_order_acquire);
    if (!n)
        return 0;
    tail = n;
    *value = n->value;
    return 1;
}

static void *first(void *_) { push(&nodes[0], 1); return 0; }
static void *second(void *_) { push(&nodes[1], 2); return 0; }

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, first, 0);
    pthread_create(&t[1], 0, second, 0);
    int got, sum = 0;
    for (int i = 0; i < 2; i++) {
        while (!pop(&got))
            ;
        sum += got;
    }
    assert(sum == 3);
}
