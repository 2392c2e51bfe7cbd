// One thread takes the last place and never gives it back; the other adds and takes back for ever.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int places = 2;
static void *work(void *unused) {
  while (atomic_fetch_sub_explicit(&places, 1, memory_order_relaxed) <= 1)
    atomic_fetch_add_explicit(&places, 1, memory_order_relaxed);
  return 0;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
