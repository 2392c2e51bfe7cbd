// Two threads add to each other's number K times. LIMIT is what may not be exceeded: 144 is right for K = 5, 143 is not.
// With -DJOIN the numbers are looked at when both have ended, else at any time.
#include "fences.h"

#ifndef K
#define K 5
#endif
#ifndef LIMIT
#define LIMIT 144
#endif
static atomic_int i = 1, j = 1;

static void *first(void *arg) {
  for (int k = 0; k < K; k++) {
    int a = LOAD(i);
    int b = LOAD(j);
    STORE(i, a + b);
  }
  return 0;
}

static void *second(void *arg) {
  for (int k = 0; k < K; k++) {
    int a = LOAD(j);
    int b = LOAD(i);
    STORE(j, a + b);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
#ifdef JOIN
  pthread_join(a, 0);
  pthread_join(b, 0);
#endif
  assert(LOAD(i) <= LIMIT);
  assert(LOAD(j) <= LIMIT);
#ifndef JOIN
  pthread_join(a, 0);
  pthread_join(b, 0);
#endif
}
