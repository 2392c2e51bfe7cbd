// fencepost: model=rc11 flags=-DN=4 expect=pass executions=24
// fencepost: model=rc11 flags=-DN=6 expect=pass executions=720
// N threads add one: N! executions.
#include "threads.h"
atomic_int x;
static void *thread(void *i) { fadd(x, 1, rlx); return NULL; }
int main(void) { run(thread, 1, N); }
