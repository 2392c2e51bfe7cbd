// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Michael and Scott's queue: an enqueuer each, a dequeuer; nodes are never reused. */
struct node { int value; _Atomic(struct node *) next; };
static struct node nodes[3];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];

static void enqueue(struct node *n, int value) {
    n->value = value;
    for (;;) {
        struct node *t = atomic_load_explicit(&tail, memory_order_relaxed);
        struct node *next = NULL;
        if (atomic_compare_exchange_strong_explicit(&t->next, &next, n, memory_order_relaxed, memory_order_relaxed)) {
            atomic_compare_exchange_strong_explicit(&tail, &t, n, memory_order_relaxed, memory_order_relaxed);
            return;
        }
        atomic_compare_exchange_strong_explicit(&tail, &t, next, memory_order_relaxed, memory_order_relaxed);
    }
}

static int dequeue(void) {
    struct node *h = atomic_load_explicit(&head, memory_order_relaxed);
    struct node *next = atomic_load_explicit(&h->next, memory_order_relaxed);
    if (next == NULL) return 0;
    int value = next->value;
    return atomic_compare_exchange_strong_explicit(&head, &h, next, memory_order_relaxed, memory_order_relaxed) ? value : 0;
}

void *first(void *_) { enqueue(&nodes[1], 1); return NULL; }
void *second(void *_) { enqueue(&nodes[2], 2); int v = dequeue(); assert(v >= 0 && v <= 2); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, first, NULL);
    pthread_create(&t1, NULL, second, NULL);
    int v = dequeue();
    assert(v >= 0 && v <= 2);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
}
