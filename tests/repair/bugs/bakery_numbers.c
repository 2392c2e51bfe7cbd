// repair: fails=race
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Lamport's bakery, the "choosing" flags forgotten */
#define N 2
static atomic_uint number[N];
static unsigned served;

static void bakery_lock(unsigned me) {
  unsigned max = 0;
  for (unsigned j = 0; j < N; j++) {
    unsigned n = atomic_load(&number[j]);
    if (n > max) max = n;
  }
  atomic_store(&number[me], max + 1);
  for (unsigned j = 0; j < N; j++) {
    if (j == me) continue;
    for (;;) {
      unsigned n = atomic_load(&number[j]);
      unsigned mine = atomic_load(&number[me]);
      if (n == 0 || n > mine || (n == mine && j > me)) break;
    }
  }
}

static void bakery_unlock(unsigned me) { atomic_store(&number[me], 0); }

static void *customer(void *arg) {
  unsigned me = (unsigned)(unsigned long)arg;
  bakery_lock(me);
  served++;
  bakery_unlock(me);
  return 0;
}

int main(void) {
  pthread_t t[N];
  for (unsigned long i = 0; i < N; i++) pthread_create(&t[i], 0, customer, (void *)i);
  for (unsigned i = 0; i < N; i++) pthread_join(t[i], 0);
  return served == N ? 0 : 1;
}
