// fencepost: model=rc11 expect=pass executions=9
// fencepost: model=sc expect=pass executions=9
// fencepost: model=tso expect=pass executions=9
// fencepost: model=rc11 flags=-DORDER=acq_rel expect=fail kind=race line=34
// fencepost: model=sc flags=-DNO_DOORWAY expect=fail kind=assertion line=36
// Lamport's bakery. NO_DOORWAY does not wait for those who are choosing their number.
#include "../check.h"
#include "../orders.h"
#define THREADS 2
static atomic_int choosing[THREADS], number[THREADS];
static void *thread(void *arg) {
  int me = (int)(intptr_t)arg, highest = 0;
  store(&choosing[me], 1, STORE);
  for (int k = 0; k < THREADS; k++) {
    int n = load(&number[k], LOAD);
    if (n > highest) highest = n;
  }
  store(&number[me], highest + 1, STORE);
  store(&choosing[me], 0, STORE);
  for (int k = 0; k < THREADS; k++) {
    if (k == me) continue;
#ifndef NO_DOORWAY
    while (load(&choosing[k], LOAD)) { }
#endif
    for (;;) {
      int n = load(&number[k], LOAD);
      if (n == 0 || n > highest + 1 || (n == highest + 1 && k > me)) break;
    }
  }
  critical_section();
  store(&number[me], 0, STORE);
  return NULL;
}
int main(void) {
  run(thread, THREADS);
  assert(shared == THREADS);
}
