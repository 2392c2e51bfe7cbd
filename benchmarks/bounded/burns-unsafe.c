// Burns's algorithm for two threads: the second one gives way.
#include "power.h"

static shared flag[2];

static void *first(void)
{
  store(flag[0], 1);
  fence();
  while (load(flag[1])) { }
  fence();
  critical_section(0);
  fence();
  store(flag[0], 0);
  return NULL;
}

static void *second(void)
{
  for (;;) {
    store(flag[1], 0);
    fence();
    if (load(flag[0])) continue;
    store(flag[1], 1);
    fence();
    if (!load(flag[0])) break;
  }
  fence();
  critical_section(1);
  fence();
  store(flag[1], 0);
  return NULL;
}

static void *thread(void *argument)
{
  return argument == NULL ? first() : second();
}

int main(void)
{
  run_threads(2, thread);
  return 0;
}
