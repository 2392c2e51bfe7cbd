// fencepost: model=rc11 expect=pass executions=15
// fencepost: model=sc flags=-DORDER=acq_rel expect=pass executions=15
// fencepost: model=rc11 flags=-DORDER=acq_rel expect=fail kind=assertion line=19
// Two readers that disagree about the order of two writes.
#include "../check.h"
#include "../orders.h"
static atomic_int x, y, seen[4];
static void *thread(void *arg) {
  switch ((intptr_t)arg) {
    case 0: store(&x, 1, STORE); break;
    case 1: store(&y, 1, STORE); break;
    case 2: { int a = load(&x, LOAD), b = load(&y, LOAD); store(&seen[0], a, rlx); store(&seen[1], b, rlx); break; }
    default: { int a = load(&y, LOAD), b = load(&x, LOAD); store(&seen[2], a, rlx); store(&seen[3], b, rlx); }
  }
  return NULL;
}
int main(void) {
  run(thread, 4);
  assert(!(load(&seen[0], rlx) && !load(&seen[1], rlx) && load(&seen[2], rlx) && !load(&seen[3], rlx)));
}
