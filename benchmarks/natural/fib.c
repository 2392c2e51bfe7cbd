// fib_bench of SV-COMP (pthread/fib_bench): five rounds of adding each other's number, while main watches; neither can come
// beyond fib(12) = 144, and with -DUNSAFE main says that it cannot come there at all. For ROUNDS it is fib(2 * ROUNDS + 2).
#include "frame.h"
#ifndef ROUNDS
#define ROUNDS 5
#define MOST 144
#endif
#ifdef UNSAFE
#define TOO_MUCH(v) ((v) >= MOST)
#else
#define TOO_MUCH(v) ((v) > MOST)
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
