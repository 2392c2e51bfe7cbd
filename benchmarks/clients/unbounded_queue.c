// fencepost: model=rc11 flags=-DN=2,-DK=1 expect=pass
// A queue by compare-exchange (Michael and Scott, PODC 1996) without an end to its growth: N threads enqueue K times,
// then dequeue K times each.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; _Atomic(struct node *) next; };
static struct node first;
static _Atomic(struct node *) head = &first, tail = &first;
static void enqueue(int value) {
  struct node *fresh = malloc(sizeof *fresh), *last, *next;
  fresh->value = value;
  atomic_init(&fresh->next, 0);
  for (;;) {
    last = atomic_load_explicit(&tail, memory_order_acquire);
    next = atomic_load_explicit(&last->next, memory_order_acquire);
    if (next) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&last->next, &next, fresh, memory_order_release, memory_order_relaxed))
      break;
  }
  atomic_compare_exchange_strong_explicit(&tail, &last, fresh, memory_order_release, memory_order_relaxed);
}
static int dequeue(void) {
  for (;;) {
    struct node *old = atomic_load_explicit(&head, memory_order_acquire);
    struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node *next = atomic_load_explicit(&old->next, memory_order_acquire);
    if (!next) return -1;
    if (old == last)
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&head, &old, next, memory_order_acq_rel, memory_order_relaxed))
      return next->value;
  }
}
static void *user(void *p) {
  int me = (int)(long)p;
  for (int k = 0; k < K; k++) enqueue(me * K + k);
  for (int k = 0; k < K; k++) {
    int got = dequeue();
    assert(got >= 0 && got < N * K);
  }
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (long i = 0; i < N; i++) pthread_create(&p[i], 0, user, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
