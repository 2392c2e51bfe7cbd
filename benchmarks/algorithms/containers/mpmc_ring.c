// fencepost: model=rc11 unroll=3 expect=pass executions=30
// fencepost: model=tso unroll=3 expect=pass executions=30
// fencepost: model=rc11 flags=-DPUBLISH=rlx unroll=3 expect=fail kind=race line=44
// fencepost: model=rc11 flags=-DCLAIM expect=fail unroll=3 kind=race line=26
// Vyukov's bounded queue: every cell has a sequence number. CLAIM takes a place by a load and a store.
#include "../check.h"
#ifndef PUBLISH
#define PUBLISH rel
#endif
#define SIZE 2
struct cell { atomic_uint sequence; int value; };
static struct cell cells[SIZE] = {{0, 0}, {1, 0}};
static atomic_uint in, out;
static bool put(int value) {
  unsigned at = load(&in, rlx);
  for (;;) {
    struct cell *c = &cells[at % SIZE];
    unsigned s = load(&c->sequence, acq);
    if (s == at) {
#ifdef CLAIM
      store(&in, at + 1, rlx);
      if (true) {
#else
      if (atomic_compare_exchange_strong_explicit(&in, &at, at + 1, rlx, rlx)) {
#endif
        c->value = value;
        store(&c->sequence, at + 1, PUBLISH);
        return true;
      }
    } else if ((int)(s - at) < 0) {
      return false;
    } else {
      at = load(&in, rlx);
    }
  }
}
static int get(void) {
  unsigned at = load(&out, rlx);
  for (;;) {
    struct cell *c = &cells[at % SIZE];
    unsigned s = load(&c->sequence, acq);
    if (s == at + 1) {
      if (atomic_compare_exchange_strong_explicit(&out, &at, at + 1, rlx, rlx)) {
        int value = c->value;
        store(&c->sequence, at + SIZE, rel);
        return value;
      }
    } else if ((int)(s - at - 1) < 0) {
      return 0;
    } else {
      at = load(&out, rlx);
    }
  }
}
static void *producer(void *arg) {
  put(1 + (int)(intptr_t)arg);
  return NULL;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, producer, (void *)0);
  pthread_create(&b, NULL, producer, (void *)1);
  int x = get(), y = get();
  assert(x >= 0 && x <= 2 && y >= 0 && y <= 2 && (x == 0 || x != y));
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
