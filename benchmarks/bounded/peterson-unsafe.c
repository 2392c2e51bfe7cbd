// Peterson's algorithm for two threads.
#include "power.h"

static shared flag[2], turn;

static void *thread(void *argument)
{
  int me = (int)(long)argument, other = 1 - me;
  store(flag[me], 1);
  fence();
  store(turn, other);
  fence();
  while (load(flag[other]) && load(turn) == other) { }
  fence();
  critical_section(me);
  fence();
  store(flag[me], 0);
  return NULL;
}

int main(void)
{
  run_threads(2, thread);
  return 0;
}
