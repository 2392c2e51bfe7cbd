// repair: fails=liveness
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <pthread.h>
#include <assert.h>
struct mcs_node { _Atomic(struct mcs_node *) next; atomic_bool locked; };
typedef _Atomic(struct mcs_node *) mcs_lock_t;
static mcs_lock_t lock;
static int hits;
static void mcs_acquire(mcs_lock_t *l, struct mcs_node *me) {
  atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
  struct mcs_node *prev = atomic_exchange_explicit(l, me, memory_order_acq_rel);
  if (prev) {
    atomic_store_explicit(&prev->next, me, memory_order_release);
    atomic_store_explicit(&me->locked, true, memory_order_relaxed); /* too late */
    while (atomic_load_explicit(&me->locked, memory_order_acquire)) ;
  }
}
static void mcs_release(mcs_lock_t *l, struct mcs_node *me) {
  struct mcs_node *n = atomic_load_explicit(&me->next, memory_order_acquire);
  if (!n) {
    struct mcs_node *exp = me;
    if (atomic_compare_exchange_strong_explicit(l, &exp, NULL, memory_order_release, memory_order_relaxed)) return;
    while (!(n = atomic_load_explicit(&me->next, memory_order_acquire))) ;
  }
  atomic_store_explicit(&n->locked, false, memory_order_release);
}
static void *run(void *a) {
  struct mcs_node node;
  mcs_acquire(&lock, &node);
  hits++;
  mcs_release(&lock, &node);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  assert(hits == 2);
}
