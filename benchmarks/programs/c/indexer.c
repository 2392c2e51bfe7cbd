// fencepost: model=rc11 flags=-DN=12 expect=pass executions=8
// fencepost: model=rc11 flags=-DN=13 expect=pass executions=64
// N threads put four messages each into a shared hash table with open addressing; only from N = 12 on do they collide.
#include "threads.h"
#define SIZE 128
#define MAX 4
atomic_int table[SIZE];
static void *thread(void *i) {
  int tid = (int)(intptr_t)i;
  for (int m = 0; m < MAX; m++) {
    int w = (m + 1) * 11 + tid;
    int h = (w * 7) % SIZE;
    int empty = 0;
    while (!cas(table[h], &empty, w, rlx)) {
      h = (h + 1) % SIZE;
      empty = 0;
    }
  }
  return NULL;
}
int main(void) { run(thread, 0, N - 1); }
