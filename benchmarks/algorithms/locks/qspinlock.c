// fencepost: model=rc11 unroll=3 expect=pass executions=4
// fencepost: model=tso unroll=3 expect=pass executions=4
// fencepost: model=rc11 flags=-DHANDOVER=rlx unroll=3 expect=fail kind=race line=34
// The queued spin lock of Linux, reduced: a locked byte, and an MCS queue for those who do not get it at once.
#include "../check.h"
#ifndef HANDOVER
#define HANDOVER rel
#endif
#define THREADS 2
#define LOCKED 1
struct node { _Atomic(struct node *) next; atomic_bool waiting; };
static atomic_int value;  /* 0 or LOCKED */
static _Atomic(struct node *) tail;
static struct node nodes[THREADS];
static void lock(struct node *me) {
  int expected = 0;
  if (cas(&value, &expected, LOCKED, acq)) return;
  store(&me->next, NULL, rlx);
  store(&me->waiting, true, rlx);
  struct node *before = xchg(&tail, me, acq_rel);
  if (before) {
    store(&before->next, me, rel);
    while (load(&me->waiting, acq)) { }
  }
  do {
    expected = 0;
  } while (!cas(&value, &expected, LOCKED, acq));
  struct node *self = me;
  if (cas(&tail, &self, NULL, rel)) return;
  struct node *after;
  while (!(after = load(&me->next, acq))) { }
  store(&after->waiting, false, rel);
}
static void unlock(void) { store(&value, 0, HANDOVER); }
static void *thread(void *i) {
  lock(&nodes[(intptr_t)i]);
  critical_section();
  unlock();
  return NULL;
}
int main(void) {
  run(thread, THREADS);
  assert(shared == THREADS);
}
