// fencepost: model=rc11 unroll=4 expect=pass executions=6
// fencepost: model=sc unroll=4 expect=pass executions=6
// fencepost: model=rc11 flags=-DORDER=acq_rel unroll=4 expect=fail kind=race line=34
// fencepost: model=tso flags=-DORDER=acq_rel unroll=4 expect=fail kind=assertion line=29
// Burns's one-bit algorithm for two threads: the first has the right of way.
#include "../check.h"
#include "../orders.h"
static atomic_int flag[2];
static void *thread(void *arg) {
  if ((intptr_t)arg == 0) {
    store(&flag[0], 1, STORE);
    while (load(&flag[1], LOAD)) { }
    critical_section();
    store(&flag[0], 0, STORE);
  } else {
    for (;;) {
      store(&flag[1], 0, STORE);
      while (load(&flag[0], LOAD)) { }
      store(&flag[1], 1, STORE);
      if (!load(&flag[0], LOAD)) break;
    }
    critical_section();
    store(&flag[1], 0, STORE);
  }
  return NULL;
}
int main(void) {
  run(thread, 2);
  assert(shared == 2);
}
