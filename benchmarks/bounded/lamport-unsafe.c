// Lamport's fast mutex for two threads, numbered 1 and 2.
#include "power.h"

static shared b[3], x, y;

static void *thread(void *argument)
{
  int me = (int)(long)argument + 1, other = 3 - me;
  for (;;) {
    store(b[me], 1);
    fence();
    store(x, me);
    fence();
    if (load(y) != 0) {
      fence();
      store(b[me], 0);
      fence();
      while (load(y) != 0) { }
      continue;
    }
    store(y, me);
    fence();
    if (load(x) == me) break;
    fence();
    store(b[me], 0);
    fence();
    while (load(b[other])) { }
    fence();
    if (load(y) == me) break;
    fence();
    while (load(y) != 0) { }
  }
  fence();
  critical_section(me);
  fence();
  store(y, 0);
  fence();
  store(b[me], 0);
  return NULL;
}

int main(void)
{
  run_threads(2, thread);
  return 0;
}
