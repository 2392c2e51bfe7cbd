// The first of two identical threads need not be the first to count.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int count;
void *work(void *unused) { return (void *)(long)atomic_fetch_add(&count, 1); }
int main(void) {
  pthread_t a, b;
  void *first, *second;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, &first);
  pthread_join(b, &second);
  assert((long)first == 0);
}
