// fencepost: model=rc11 expect=pass executions=9
// fencepost: model=tso expect=pass executions=9
// fencepost: model=rc11 flags=-DPUBLISH=rlx expect=fail kind=race line=28
// fencepost: model=rc11 flags=-DFREE=rlx expect=fail kind=race line=20
// A ring buffer for one producer and one consumer.
#include "../check.h"
#ifndef PUBLISH
#define PUBLISH rel
#endif
#ifndef FREE
#define FREE rel
#endif
#define SIZE 2
#define ITEMS 3
static int ring[SIZE];
static atomic_uint head, tail;
static void *producer(void *arg) {
  for (unsigned k = 0; k < ITEMS; k++) {
    while (k - load(&tail, acq) == SIZE) { }
    ring[k % SIZE] = (int)k + 1;
    store(&head, k + 1, PUBLISH);
  }
  return NULL;
}
static void *consumer(void *arg) {
  for (unsigned k = 0; k < ITEMS; k++) {
    while (load(&head, acq) == k) { }
    assert(ring[k % SIZE] == (int)k + 1);
    store(&tail, k + 1, FREE);
  }
  return NULL;
}
int main(void) {
  pthread_t p, c;
  pthread_create(&p, NULL, producer, NULL);
  pthread_create(&c, NULL, consumer, NULL);
  pthread_join(p, NULL);
  pthread_join(c, NULL);
}
