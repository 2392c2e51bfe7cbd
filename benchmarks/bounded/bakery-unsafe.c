// Lamport's bakery for two threads.
#include "power.h"

static shared choosing[2], number[2];

static void *thread(void *argument)
{
  int me = (int)(long)argument, other = 1 - me;
  store(choosing[me], 1);
  fence();
  int mine = load(number[other]) + 1;
  store(number[me], mine);
  fence();
  store(choosing[me], 0);
  fence();
  while (load(choosing[other])) { }
  fence();
  for (;;) {
    int theirs = load(number[other]);
    if (theirs == 0 || theirs > mine || (theirs == mine && other > me)) break;
  }
  fence();
  critical_section(me);
  fence();
  store(number[me], 0);
  return NULL;
}

int main(void)
{
  run_threads(2, thread);
  return 0;
}
