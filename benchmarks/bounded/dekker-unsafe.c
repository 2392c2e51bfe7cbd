// Dekker's algorithm. Each thread counts in its critical section; without fences an increment can get lost.
#include "power.h"

static shared flag[2], turn, count;

static void *thread(void *argument)
{
  int me = (int)(long)argument, other = 1 - me;
  store(flag[me], 1);
  fence();
  while (load(flag[other])) {
    if (load(turn) != me) {
      store(flag[me], 0);
      fence();
      while (load(turn) != me) { }
      store(flag[me], 1);
      fence();
    }
  }
  fence();
  store(count, load(count) + 1);
  fence();
  store(turn, other);
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
