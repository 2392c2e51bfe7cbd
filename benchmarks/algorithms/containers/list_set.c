// fencepost: model=rc11 unroll=4 expect=pass executions=20
// fencepost: model=tso unroll=4 expect=pass executions=20
// fencepost: model=rc11 flags=-DINSERT=rlx unroll=4 expect=fail kind=race line=47
// fencepost: model=sc flags=-DNO_MARK unroll=4 expect=fail kind=assertion line=52
// Harris's sorted list: a node is marked before it is unlinked, so that nobody inserts behind a node that goes.
#include "../check.h"
#ifndef INSERT
#define INSERT rel
#endif
struct node { int key; _Atomic(uintptr_t) next; };
static struct node last = {9}, first = {1}, inserted = {2}, start = {0};
static struct node *pointer(uintptr_t link) { return (struct node *)(link & ~(uintptr_t)1); }
static bool insert(struct node *n) {
  for (;;) {
    struct node *before = &start, *at;
    uintptr_t link;
    while ((at = pointer(link = load(&before->next, acq)))->key < n->key) before = at;
    store(&n->next, (uintptr_t)at, rlx);
    if (link & 1) return false;
    if (atomic_compare_exchange_strong_explicit(&before->next, &link, (uintptr_t)n, INSERT, rlx)) return true;
  }
}
static bool removed;
static void *remover(void *arg) {
  uintptr_t after = load(&first.next, acq);
#ifndef NO_MARK
  if (!atomic_compare_exchange_strong_explicit(&first.next, &after, after | 1, acq_rel, rlx)) return NULL;
#endif
  uintptr_t self = (uintptr_t)&first;
  removed = atomic_compare_exchange_strong_explicit(&start.next, &self, after, acq_rel, rlx);
  return NULL;
}
static bool done;
static void *inserter(void *arg) {
  inserted.key = 2;
  done = insert(&inserted);
  return NULL;
}
int main(void) {
  store(&first.next, (uintptr_t)&last, rlx);
  store(&start.next, (uintptr_t)&first, rlx);
  pthread_t a, b;
  pthread_create(&a, NULL, remover, NULL);
  pthread_create(&b, NULL, inserter, NULL);
  struct node *seen = pointer(load(&start.next, acq));
  if (seen == &inserted) assert(seen->key == 2);
  else if (seen == &first) { seen = pointer(load(&first.next, acq)); assert(seen->key >= 2); }
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  bool found = false;
  for (struct node *n = &start; n != &last; n = pointer(load(&n->next, acq))) found |= n == &inserted;
  assert(found == done);
}
