// The latch bug of PostgreSQL: a worker that is woken by its latch must find the work that it was woken for.
#include "power.h"

static shared latch[2] = {1, 0}, flag[2] = {1, 0};

static void *thread(void *argument)
{
  int me = (int)(long)argument, other = 1 - me;
  for (;;) {
    while (!load(latch[me])) { }
    store(latch[me], 0);
    fence();
    int work = load(flag[me]);
    store(flag[me], 0);
    assert(work);
    store(flag[other], 1);
    fence();
    store(latch[other], 1);
  }
  return NULL;
}

int main(void)
{
  run_threads(2, thread);
  return 0;
}
