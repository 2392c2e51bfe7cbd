// Dekker's algorithm without a turn: who finds the other's flag up takes its own down and waits.
#include "power.h"

static shared flag[2], count;

static void *thread(void *argument)
{
  int me = (int)(long)argument, other = 1 - me;
  store(flag[me], 1);
  fence();
  while (load(flag[other])) {
    store(flag[me], 0);
    fence();
    while (load(flag[other])) { }
    store(flag[me], 1);
    fence();
  }
  fence();
  store(count, load(count) + 1);
  fence();
  store(flag[me], 0);
  return NULL;
}

int main(void)
{
  run_threads(2, thread);
  assert(load(count) == 2);
  return 0;
}
