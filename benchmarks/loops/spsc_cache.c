// fencepost: model=rc11 expect=pass blocked=0
// A queue for one producer and one consumer that remembers the other's index (E. Rigtorp's SPSCQueue).
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SIZE 2
static int slots[SIZE];
static atomic_int head, tail;
static void *producer(void *unused) {
  int cached = 0;
  for (int i = 0; i < 3; i++) {
    int at = atomic_load_explicit(&tail, memory_order_relaxed), next = (at + 1) % SIZE;
    while (next == cached) cached = atomic_load_explicit(&head, memory_order_acquire);
    slots[at] = i;
    atomic_store_explicit(&tail, next, memory_order_release);
  }
  return 0;
}
static void *consumer(void *unused) {
  int cached = 0;
  for (int i = 0; i < 3; i++) {
    int at = atomic_load_explicit(&head, memory_order_relaxed);
    while (at == cached) cached = atomic_load_explicit(&tail, memory_order_acquire);
    assert(slots[at] == i);
    atomic_store_explicit(&head, (at + 1) % SIZE, memory_order_release);
  }
  return 0;
}
int main(void) {
  pthread_t p, c;
  pthread_create(&p, 0, producer, 0);
  pthread_create(&c, 0, consumer, 0);
  pthread_join(p, 0);
  pthread_join(c, 0);
  return 0;
}
