// repair: fails=race
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
typedef struct { atomic_uint next, serving; } ticketlock_t;
static ticketlock_t tl;
static long balance;
static void tl_lock(ticketlock_t *l) {
  unsigned me = atomic_load_explicit(&l->next, memory_order_relaxed);
  atomic_store_explicit(&l->next, me + 1, memory_order_relaxed);
  while (atomic_load_explicit(&l->serving, memory_order_acquire) != me) ;
}
static void tl_unlock(ticketlock_t *l) {
  atomic_fetch_add_explicit(&l->serving, 1, memory_order_release);
}
static void *deposit(void *arg) {
  tl_lock(&tl);
  balance += (long)arg;
  tl_unlock(&tl);
  return NULL;
}
int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, deposit, (void *)(i + 1));
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  assert(balance == 3);
}
