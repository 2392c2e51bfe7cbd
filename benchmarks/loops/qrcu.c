// fencepost: model=rc11 expect=pass blocked=0
// QRCU (P. McKenney, "Using Promela and Spin to verify parallel algorithms", LWN 2007): two readers, one updater, which
// adds the counters up in either order.
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
_Bool __VERIFIER_nondet_bool(void);
atomic_int idx, ctr1 = 1, ctr2, readerprogress1, readerprogress2;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define READER(n) \
void *reader##n(void *unused) { \
  int my; \
  for (;;) { \
    my = idx; \
    if (my == 0) { int c = ctr1; int done = 0; while (c > 0 && !done) { if (atomic_compare_exchange_strong(&ctr1, &c, c + 1)) done = 1; } if (done) break; } \
    else { int c = ctr2; int done = 0; while (c > 0 && !done) { if (atomic_compare_exchange_strong(&ctr2, &c, c + 1)) done = 1; } if (done) break; } \
  } \
  readerprogress##n = 1; readerprogress##n = 2; \
  if (my == 0) atomic_fetch_sub(&ctr1, 1); else atomic_fetch_sub(&ctr2, 1); \
  return 0; }
READER(1)
READER(2)
static int sum_unordered(void) {
  if (__VERIFIER_nondet_bool()) { int sum = ctr1; return sum + ctr2; }
  int sum = ctr2;
  return sum + ctr1;
}
void *updater(void *unused) {
  int start1 = readerprogress1, start2 = readerprogress2, sum;
  sum = sum_unordered();
  if (sum <= 1) sum = sum_unordered();
  if (sum > 1) {
    pthread_mutex_lock(&mutex);
    if (idx == 0) { atomic_fetch_add(&ctr2, 1); idx = 1; atomic_fetch_sub(&ctr1, 1); while (ctr1 > 0) ; }
    else { atomic_fetch_add(&ctr1, 1); idx = 0; atomic_fetch_sub(&ctr2, 1); while (ctr2 > 0) ; }
    pthread_mutex_unlock(&mutex);
  }
  if (start1 == 1) assert(readerprogress1 != 1);
  if (start2 == 1) assert(readerprogress2 != 1);
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, reader1, 0); pthread_create(&b, 0, reader2, 0); pthread_create(&c, 0, updater, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
  return 0;
}
