// Threads put four messages each into a shared hash table; only from twelve threads on do they collide.
#include "fences.h"

#define SIZE 128
#define MESSAGES 4
#ifndef N
#define N 13
#endif
static atomic_int table[SIZE];

static void *thread(void *arg) {
  int tid = (int)(long)arg;
  for (int m = 1; m <= MESSAGES; m++) {
    int w = m * 11 + tid, h = (w * 7) % SIZE, expected = 0;
    while (!atomic_compare_exchange_strong_explicit(&table[h], &expected, w, memory_order_relaxed, memory_order_relaxed)) {
      h = (h + 1) % SIZE;
      expected = 0;
    }
  }
  return 0;
}

int main(void) {
  pthread_t t[N];
  for (long k = 0; k < N; k++)
    pthread_create(&t[k], 0, thread, (void *)k);
  for (int k = 0; k < N; k++)
    pthread_join(t[k], 0);
}
