// fencepost: model=rc11 flags=-DN=3 expect=pass executions=36
// fencepost: model=rc11 flags=-DN=4 expect=pass executions=576
// N threads add one to x, then to y: (N!)^2 executions.
#include "threads.h"
atomic_int x, y;
static void *thread(void *i) { fadd(x, 1, rlx); fadd(y, 1, rlx); return NULL; }
int main(void) { run(thread, 1, N); }
