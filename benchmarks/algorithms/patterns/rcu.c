// fencepost: model=rc11 expect=pass executions=9
// fencepost: model=tso expect=pass executions=9
// fencepost: model=rc11 flags=-DPUBLISH=rlx expect=fail kind=race line=20
// fencepost: model=rc11 flags=-DGRACE expect=fail kind=race line=33
// Read-copy-update with one flag per reader. GRACE forgets to wait for the readers before it reuses the old copy.
#include "../check.h"
#ifndef PUBLISH
#define PUBLISH rel
#endif
#define READERS 2
struct config { int a, b; };
static struct config copies[2] = {{1, 1}};
static _Atomic(struct config *) current = &copies[0];
static atomic_int inside[READERS];
static void *reader(void *arg) {
  int me = (int)(intptr_t)arg;
  store(&inside[me], 1, rlx);
  fence(sc);
  struct config *c = load(&current, acq);
  assert(c->a == c->b);
  store(&inside[me], 0, rel);
  return NULL;
}
static void *writer(void *arg) {
  copies[1].a = 2;
  copies[1].b = 2;
  store(&current, &copies[1], PUBLISH);
  fence(sc);
#ifndef GRACE
  for (int k = 0; k < READERS; k++)
    while (load(&inside[k], acq)) { }
#endif
  copies[0].a = 3;
  return NULL;
}
static void *thread(void *arg) { return (intptr_t)arg < READERS ? reader(arg) : writer(arg); }
int main(void) { run(thread, READERS + 1); }
