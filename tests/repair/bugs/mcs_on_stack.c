// repair: changes=3 warns=once
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
struct mcs_node { struct mcs_node *_Atomic next; atomic_bool locked; };
static struct mcs_node *_Atomic tail;
static int money = 100;
static void acquire(struct mcs_node *me) {
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
    struct mcs_node *prev = atomic_exchange_explicit(&tail, me, memory_order_acquire);
    if (prev) {
        atomic_store_explicit(&prev->next, me, memory_order_relaxed);
        while (atomic_load_explicit(&me->locked, memory_order_acquire));
    }
}
static void release(struct mcs_node *me) {
    struct mcs_node *succ = atomic_load_explicit(&me->next, memory_order_relaxed);
    if (!succ) {
        struct mcs_node *expect = me;
        if (atomic_compare_exchange_strong_explicit(&tail, &expect, NULL, memory_order_release, memory_order_relaxed)) return;
        while (!(succ = atomic_load_explicit(&me->next, memory_order_relaxed)));
    }
    atomic_store_explicit(&succ->locked, 0, memory_order_release);
}
static void *spend(void *a) {
    struct mcs_node n;
    acquire(&n);
    money -= 10;
    release(&n);
    return 0;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, spend, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
