// fencepost: model=rc11 expect=pass executions=6
// fencepost: model=tso expect=pass executions=6
// fencepost: model=sc expect=pass executions=6
// fencepost: model=rc11 flags=-DWAIT=rlx expect=fail kind=race line=34
// fencepost: model=rc11 flags=-DSPLIT expect=fail kind=race line=34
// A ticket lock. SPLIT takes the ticket by a load and a store instead of one addition.
#include "../check.h"
#ifndef WAIT
#define WAIT acq
#endif
#ifndef THREADS
#define THREADS 3
#endif
atomic_uint next, serving;
static void *thread(void *i) {
#ifdef SPLIT
  unsigned ticket = load(&next, rlx);
  store(&next, ticket + 1, rlx);
#else
  unsigned ticket = fadd(&next, 1, rlx);
#endif
  while (load(&serving, WAIT) != ticket) { }
  critical_section();
  store(&serving, ticket + 1, rel);
  return NULL;
}
int main(void) {
  run(thread, THREADS);
  assert(shared == THREADS);
}
