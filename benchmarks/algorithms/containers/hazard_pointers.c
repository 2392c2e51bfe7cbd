// fencepost: model=rc11 unroll=3 expect=pass executions=9
// fencepost: model=rc11 flags=-DPROTECT=rlx unroll=3 expect=fail kind=race line=31
// fencepost: model=rc11 flags=-DNO_RECHECK unroll=3 expect=fail kind=race line=31
// Hazard pointers: a reader announces what it looks at and looks again; a writer frees only what nobody announced.
#include "../check.h"
#ifndef PROTECT
#define PROTECT sc
#endif
struct box { int value; };
static _Atomic(struct box *) current, hazard;
static struct box *fresh(int value) {
  struct box *b = malloc(sizeof *b);
  b->value = value;
  return b;
}
static void reclaim(struct box *b) {
  b->value = 0;
  free(b);
}
static void *reader(void *arg) {
  struct box *b;
  for (;;) {
    b = load(&current, acq);
    store(&hazard, b, rlx);
    fence(PROTECT);
#ifdef NO_RECHECK
    break;
#endif
    if (load(&current, acq) == b) break;
  }
  int v = b->value;
  assert(v == 1 || v == 2);
  store(&hazard, NULL, rel);
  return NULL;
}
int main(void) {
  pthread_t r;
  store(&current, fresh(1), rlx);
  pthread_create(&r, NULL, reader, NULL);
  struct box *old = xchg(&current, fresh(2), acq_rel);
  fence(PROTECT);
  bool freed = load(&hazard, acq) != old;
  if (freed) reclaim(old);
  pthread_join(r, NULL);
  if (!freed) reclaim(old);
  reclaim(load(&current, rlx));
}
