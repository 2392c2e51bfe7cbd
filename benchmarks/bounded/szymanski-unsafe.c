// Szymanski's algorithm for two threads. The second one goes first and prepares what they share; the first one waits for
// that, and the second one comes back once more.
#include "power.h"

static shared flag[2], ready;

static void enter(int me, int other)
{
  store(flag[me], 1);
  fence();
  while (load(flag[other]) >= 3) { }
  store(flag[me], 3);
  fence();
  if (load(flag[other]) == 1) {
    store(flag[me], 2);
    fence();
    while (load(flag[other]) != 4) { }
  }
  store(flag[me], 4);
  fence();
  if (me == 1) {
    for (;;) {
      if (load(flag[other]) < 2) break;
    }
  }
  fence();
}

static void leave(int me, int other)
{
  fence();
  if (me == 0) {
    for (;;) {
      int theirs = load(flag[other]);
      if (theirs < 2 || theirs > 3) break;
    }
  }
  store(flag[me], 0);
  fence();
}

static void *thread(void *argument)
{
  int me = (int)(long)argument, other = 1 - me;
  if (me == 1) {
    enter(me, other);
    store(ready, 1);
    leave(me, other);
  } else {
    while (!load(ready)) { }
    fence();
  }
  enter(me, other);
  if (me == 0) critical_section(me);
  else store(inside, me + 1);
  leave(me, other);
  return NULL;
}

int main(void)
{
  run_threads(2, thread);
  return 0;
}
