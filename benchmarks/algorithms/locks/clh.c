// fencepost: model=rc11 expect=pass executions=6
// fencepost: model=tso expect=pass executions=6
// fencepost: model=rc11 flags=-DRELEASE=rlx expect=fail kind=race line=34
// fencepost: model=rc11 flags=-DENTER=rlx expect=fail kind=race line=34
// The queue lock of Craig, Landin and Hagersten: each thread spins on the node of the one before it.
#include "../check.h"
#ifndef RELEASE
#define RELEASE rel
#endif
#ifndef ENTER
#define ENTER acq_rel
#endif
#define THREADS 3
struct node { atomic_bool busy; };
static struct node nodes[THREADS + 1];
static _Atomic(struct node *) tail = &nodes[THREADS];
static void *thread(void *i) {
  struct node *me = &nodes[(intptr_t)i];
  store(&me->busy, true, rlx);
  struct node *before = xchg(&tail, me, ENTER);
  while (load(&before->busy, acq)) { }
  critical_section();
  store(&me->busy, false, RELEASE);
  return NULL;
}
int main(void) {
  run(thread, THREADS);
  assert(shared == THREADS);
}
