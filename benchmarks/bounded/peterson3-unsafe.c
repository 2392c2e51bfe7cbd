// Peterson's algorithm for three threads (the filter lock). The third one prepares what they share; the others wait for
// that.
#include "power.h"

static shared level[3], victim[3], ready;

static void enter(int me)
{
  int a = (me + 1) % 3, b = (me + 2) % 3;
  for (int l = 1; l < 3; l++) {
    store(level[me], l);
    fence();
    store(victim[l], me);
    fence();
    while ((load(level[a]) >= l || load(level[b]) >= l) && load(victim[l]) == me) { }
    fence();
  }
}

static void leave(int me)
{
  fence();
  store(level[me], 0);
}

static void *thread(void *argument)
{
  int me = (int)(long)argument;
  if (me != 2) {
    while (!load(ready)) { }
    fence();
  }
  enter(me);
  if (me == 2) store(ready, 1);
  else critical_section(me);
  leave(me);
  return NULL;
}

int main(void)
{
  run_threads(3, thread);
  return 0;
}
