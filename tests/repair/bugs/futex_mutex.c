// repair: changes=1 warns=1
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
struct mutex { atomic_int state; };
static struct mutex m; static long balance;
static void mutex_lock(struct mutex *mx) {
  int c = 0;
  if (atomic_compare_exchange_strong_explicit(&mx->state, &c, 1, memory_order_acquire, memory_order_relaxed)) return;
  while (atomic_exchange_explicit(&mx->state, 2, memory_order_relaxed) != 0) ;
}
static void mutex_unlock(struct mutex *mx) { atomic_store_explicit(&mx->state, 0, memory_order_release); }
static void *deposit(void *p) { mutex_lock(&m); balance += 10; mutex_unlock(&m); return p; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, deposit, 0); pthread_create(&b, 0, deposit, 0); pthread_join(a, 0); pthread_join(b, 0); assert(balance == 20); }
