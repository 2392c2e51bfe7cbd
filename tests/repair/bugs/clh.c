// repair: changes=3 warns=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { atomic_int busy; };
static struct node nodes[3];
static _Atomic(struct node *) tail = &nodes[2];
int counter;

static void use(struct node *me) {
    atomic_store_explicit(&me->busy, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, me, memory_order_relaxed);
    while (atomic_load_explicit(&before->busy, memory_order_relaxed))
        ;
    counter++;
    atomic_store_explicit(&me->busy, 0, memory_order_relaxed);
}

void *zero(void *_) { use(&nodes[0]); return NULL; }
void *one(void *_) { use(&nodes[1]); return NULL; }

int main(void) {
    pthread_t t0, t1;
    pthread_create(&t0, NULL, zero, NULL);
    pthread_create(&t1, NULL, one, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    assert(counter == 2);
}
