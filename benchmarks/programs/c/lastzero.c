// fencepost: model=rc11 flags=-DN=5 expect=pass executions=64
// fencepost: model=rc11 flags=-DN=10 expect=pass executions=3328
// fencepost: model=sc flags=-DN=5 expect=pass executions=64
// Thread 0 scans an array of N+1 zeros from the top for a zero; thread i: a[i] = a[i-1] + 1.
#include "threads.h"
#ifndef ORDER
#define ORDER(i) (i)
#endif
atomic_int a[N + 1];
static void *thread(void *arg) {
  intptr_t i = ORDER((intptr_t)arg);
  if (i == 0) {
    intptr_t at = N;
    while (load(a[at], acq) != 0) at--;
  } else {
    store(a[i], load(a[i - 1], acq) + 1, rel);
  }
  return NULL;
}
int main(void) { run(thread, 0, N); }
