// fencepost: model=rc11 expect=pass executions=29
// fencepost: model=sc expect=pass executions=29
// fencepost: model=rc11 flags=-DORDER=acq_rel expect=fail kind=liveness line=16
// fencepost: model=tso flags=-DORDER=acq_rel expect=fail kind=liveness line=16
// Szymanski's algorithm: a waiting room with a door that opens in and a door that opens out.
#include "../check.h"
#include "../orders.h"
static atomic_int flag[2];
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  store(&flag[me], 1, STORE);
  while (load(&flag[other], LOAD) >= 3) { }
  store(&flag[me], 3, STORE);
  if (load(&flag[other], LOAD) == 1) {
    store(&flag[me], 2, STORE);
    while (load(&flag[other], LOAD) != 4) { }
  }
  store(&flag[me], 4, STORE);
  if (me == 1)
    while (load(&flag[0], LOAD) >= 2) { }
  critical_section();
  if (me == 0)
    for (;;) {
      int f = load(&flag[1], LOAD);
      if (f != 2 && f != 3) break;
    }
  store(&flag[me], 0, STORE);
  return NULL;
}
int main(void) {
  run(thread, 2);
  assert(shared == 2);
}
