// fencepost: model=rc11 flags=-DN=3 expect=pass blocked=0
// Two compare-exchanges in one spin: whichever of two locks is free.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
void *user(void *unused) {
  for (;;) {
    int e = 0;
    if (atomic_compare_exchange_strong(&x, &e, 1)) { x = 0; break; }
    e = 0;
    if (atomic_compare_exchange_strong(&y, &e, 1)) { y = 0; break; }
  }
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
