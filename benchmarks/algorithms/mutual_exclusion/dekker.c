// fencepost: model=rc11 unroll=4 expect=pass executions=4
// fencepost: model=sc unroll=4 expect=pass executions=4
// fencepost: model=tso unroll=4 expect=pass executions=4
// fencepost: model=rc11 flags=-DORDER=acq_rel unroll=4 expect=fail kind=race line=34
// fencepost: model=tso flags=-DORDER=acq_rel unroll=4 expect=fail kind=assertion line=27
// Dekker's algorithm. With acquire and release instead of seq_cst both threads enter.
#include "../check.h"
#include "../orders.h"
static atomic_int wants[2], turn;
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, other = 1 - me;
  store(&wants[me], 1, STORE);
  while (load(&wants[other], LOAD)) {
    if (load(&turn, LOAD) != me) {
      store(&wants[me], 0, STORE);
      while (load(&turn, LOAD) != me) { }
      store(&wants[me], 1, STORE);
    }
  }
  critical_section();
  store(&turn, other, STORE);
  store(&wants[me], 0, STORE);
  return NULL;
}
int main(void) {
  run(thread, 2);
  assert(shared == 2);
}
