// Between the joins of two identical threads only one of them is sure to have ended.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int count, late;
void *work(void *unused) {
  if (atomic_fetch_add(&count, 1) == 1) atomic_store(&late, 1);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(b, 0);
  int seen = atomic_load(&late);
  assert(seen == 1);
  pthread_join(a, 0);
}
