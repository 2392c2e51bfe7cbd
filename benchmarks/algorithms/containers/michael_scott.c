// fencepost: model=rc11 unroll=4 expect=pass executions=13
// fencepost: model=tso unroll=4 expect=pass executions=13
// fencepost: model=rc11 flags=-DLINK=rlx unroll=4 expect=fail kind=race line=35
// fencepost: model=rc11 flags=-DFOLLOW=rlx unroll=4 expect=fail kind=race line=35
// The queue of Michael and Scott, without reuse of nodes.
#include "../check.h"
#ifndef LINK
#define LINK rel
#endif
#ifndef FOLLOW
#define FOLLOW acq
#endif
struct node { int value; _Atomic(struct node *) next; };
static struct node nodes[3];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];
static void enqueue(struct node *n) {
  for (;;) {
    struct node *last = load(&tail, acq);
    struct node *after = load(&last->next, acq);
    if (after) {
      atomic_compare_exchange_strong_explicit(&tail, &last, after, rel, rlx);
    } else if (atomic_compare_exchange_strong_explicit(&last->next, &after, n, LINK, rlx)) {
      atomic_compare_exchange_strong_explicit(&tail, &last, n, rel, rlx);
      return;
    }
  }
}
static int dequeue(void) {
  for (;;) {
    struct node *first = load(&head, acq);
    struct node *last = load(&tail, acq);
    struct node *after = load(&first->next, FOLLOW);
    if (!after) return 0;
    if (first == last) atomic_compare_exchange_strong_explicit(&tail, &last, after, rel, rlx);
    else if (atomic_compare_exchange_strong_explicit(&head, &first, after, acq_rel, rlx)) return after->value;
  }
}
static void *producer(void *arg) {
  for (int k = 1; k < 3; k++) {
    nodes[k].value = k;
    enqueue(&nodes[k]);
  }
  return NULL;
}
int main(void) {
  pthread_t p;
  pthread_create(&p, NULL, producer, NULL);
  int a = dequeue(), b = dequeue();
  assert(b == 0 ? a == 0 || a == 1 : a == 0 ? b == 1 : a == 1 && b == 2);
  pthread_join(p, NULL);
}
