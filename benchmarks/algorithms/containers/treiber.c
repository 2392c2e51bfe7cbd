// fencepost: model=rc11 unroll=3 expect=pass executions=40
// fencepost: model=tso unroll=3 expect=pass executions=40
// fencepost: model=rc11 flags=-DPUSH=rlx unroll=3 expect=fail kind=race line=24
// fencepost: model=rc11 flags=-DPOP=rlx unroll=3 expect=fail kind=race line=24
// Treiber's stack. Nodes are never used again, so there is no ABA here.
#include "../check.h"
#ifndef PUSH
#define PUSH rel
#endif
#ifndef POP
#define POP acq
#endif
struct node { int value; struct node *next; };
static _Atomic(struct node *) top;
static struct node nodes[2];
static void push(struct node *n) {
  struct node *seen = load(&top, rlx);
  do {
    n->next = seen;
  } while (!atomic_compare_exchange_strong_explicit(&top, &seen, n, PUSH, rlx));
}
static struct node *pop(void) {
  struct node *seen = load(&top, POP);
  while (seen && !atomic_compare_exchange_strong_explicit(&top, &seen, seen->next, POP, POP)) { }
  return seen;
}
static void *thread(void *arg) {
  struct node *n = &nodes[(intptr_t)arg];
  n->value = 1 + (int)(intptr_t)arg;
  push(n);
  struct node *got = pop();
  assert(got && (got->value == 1 || got->value == 2));
  return got;
}
int main(void) {
  pthread_t a, b;
  void *x, *y;
  pthread_create(&a, NULL, thread, (void *)0);
  pthread_create(&b, NULL, thread, (void *)1);
  pthread_join(a, &x);
  pthread_join(b, &y);
  assert(x != y && load(&top, rlx) == NULL);
}
