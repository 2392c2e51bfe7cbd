// fencepost: model=rc11 expect=pass executions=4
// fencepost: model=tso expect=pass executions=4
// fencepost: model=sc expect=pass executions=4
// fencepost: model=rc11 flags=-DHANDOVER=rlx expect=fail kind=race line=34
// fencepost: model=rc11 flags=-DENTER=rlx expect=fail kind=race line=34
// The queue lock of Mellor-Crummey and Scott: each thread spins on its own node.
#include "../check.h"
#ifndef HANDOVER
#define HANDOVER rel
#endif
#ifndef ENTER
#define ENTER acq_rel
#endif
#ifndef THREADS
#define THREADS 2
#endif
struct node { _Atomic(struct node *) next; atomic_bool waiting; };
static _Atomic(struct node *) tail;
static struct node nodes[THREADS];
static void lock(struct node *me) {
  store(&me->next, NULL, rlx);
  store(&me->waiting, true, rlx);
  struct node *before = xchg(&tail, me, ENTER);
  if (before) {
    store(&before->next, me, rel);
    while (load(&me->waiting, acq)) { }
  }
}
static void unlock(struct node *me) {
  struct node *after = load(&me->next, acq);
  if (!after) {
    struct node *expected = me;
    if (cas(&tail, &expected, NULL, rel)) return;
    while (!(after = load(&me->next, acq))) { }
  }
  store(&after->waiting, false, HANDOVER);
}
static void *thread(void *i) {
  struct node *me = &nodes[(intptr_t)i];
  lock(me);
  critical_section();
  unlock(me);
  return NULL;
}
int main(void) {
  run(thread, THREADS);
  assert(shared == THREADS);
}
