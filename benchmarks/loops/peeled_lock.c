// fencepost: model=rc11 flags=-DN=4 expect=pass blocked=0
// A lock by compare-exchange whose first two rounds the compiler has put in front of the loop.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x; int data;
void *user(void *unused) {
  int r = 0;
  if (!atomic_compare_exchange_strong(&x, &r, 1)) {
    r = 0;
    if (!atomic_compare_exchange_strong(&x, &r, 1)) {
      do r = 0; while (!atomic_compare_exchange_strong(&x, &r, 1));
    }
  }
  data++;
  x = 0;
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (int i = 0; i < N; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
