// Dijkstra's algorithm for two threads: 0 is away, 1 wants to enter, 2 tries to.
#include "power.h"

static shared flag[2], turn;

static void *thread(void *argument)
{
  int me = (int)(long)argument, other = 1 - me;
  for (;;) {
    store(flag[me], 1);
    fence();
    while (load(turn) != me) {
      fence();
      if (load(flag[other]) == 0) {
        fence();
        store(turn, me);
        fence();
      }
    }
    store(flag[me], 2);
    fence();
    if (load(flag[other]) != 2) break;
  }
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
