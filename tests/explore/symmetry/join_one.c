// Only one of two identical threads is joined: who starts them tells them apart.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int count, second;
void *work(void *unused) {
  if (atomic_fetch_add(&count, 1) == 1) atomic_store(&second, 1);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(b, 0);
  assert(atomic_load(&count) >= 1 && (atomic_load(&second) || atomic_load(&count) <= 2));
}
