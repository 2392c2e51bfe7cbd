// fencepost: model=rc11 flags=-DN=2,-DK=1 expect=pass
// A stack with elimination back-off (Hendler, Shavit, Yerushalmi, SPAA 2004): who loses the exchange at the top offers
// its value, or takes an offer, once. N threads push and pop K times each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static _Atomic(struct node *) top;
static _Atomic(struct node *) offer;
static void push(int value) {
  struct node *fresh = malloc(sizeof *fresh), *none;
  fresh->value = value;
  for (;;) {
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    fresh->next = old;
    if (atomic_compare_exchange_strong_explicit(&top, &old, fresh, memory_order_release, memory_order_relaxed)) return;
    none = 0;
    if (!atomic_compare_exchange_strong_explicit(&offer, &none, fresh, memory_order_release, memory_order_relaxed))
      continue;
    struct node *mine = fresh;
    if (!atomic_compare_exchange_strong_explicit(&offer, &mine, 0, memory_order_relaxed, memory_order_relaxed)) return;
  }
}
static struct node *pop(void) {
  for (;;) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    if (!old) return 0;
    if (atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_acq_rel, memory_order_relaxed))
      return old;
    struct node *found = atomic_load_explicit(&offer, memory_order_acquire);
    if (found && atomic_compare_exchange_strong_explicit(&offer, &found, 0, memory_order_acq_rel, memory_order_relaxed))
      return found;
  }
}
static void *user(void *p) {
  int me = (int)(long)p;
  for (int k = 0; k < K; k++) {
    push(me * K + k);
    struct node *got = pop();
    assert(got && got->value >= 0 && got->value < N * K);
  }
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (long i = 0; i < N; i++) pthread_create(&p[i], 0, user, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
