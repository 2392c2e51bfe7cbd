// The barrier of the paper's §2.3. As written its loops are busy ones; --waits makes them the paper's `wait`.
#include "threads.h"

static atomic_int arrived[2];

static void *thread(void *arg)
{
  int me = *(int *)arg;
  store(&arrived[me], 1);
  while (load(&arrived[1 - me]) != 1)
    ;
  return NULL;
}

int main(void)
{
  run_threads(thread, 2);
}
