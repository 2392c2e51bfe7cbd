// fib_bench of SV-COMP (pthread/fib_bench): five rounds of adding each other's number, while main watches; neither can come
// to fib(12) = 144 or beyond, and with -DUNSAFE main says that it cannot come there at all.
#include "frame.h"
#ifndef ROUNDS
#define ROUNDS 5
#endif
#ifdef UNSAFE
#define TOO_MUCH(v) ((v) >= 144)
#else
#define TOO_MUCH(v) ((v) > 144)
#endif
static atomic_int i = 1, j = 1;
static void *thread(void *arg) {
  for (int k = 0; k < ROUNDS; k++) {
    if (arg == NULL) STORE(i, LOAD(i) + LOAD(j));
    else STORE(j, LOAD(j) + LOAD(i));
    FENCE();
  }
  return NULL;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, thread, NULL);
  pthread_create(&b, NULL, thread, &i);
#ifdef JOIN
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#endif
  int first = LOAD(i), second = LOAD(j);
  assert(!TOO_MUCH(first) && !TOO_MUCH(second));
#ifndef JOIN
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#endif
}
