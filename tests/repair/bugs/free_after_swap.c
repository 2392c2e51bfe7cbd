// repair: fails=use-after-free
#include <stdatomic.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
struct route { int dest; int metric; };
static _Atomic(struct route *) current;
static void *reader(void *a) {
  struct route *r = atomic_load_explicit(&current, memory_order_consume);
  if (r) assert(r->dest + r->metric == 10);
  return 0;
}
static void *updater(void *a) {
  struct route *n = malloc(sizeof *n);
  n->dest = 4; n->metric = 6;
  struct route *old = atomic_exchange_explicit(&current, n, memory_order_release);
  free(old);
  return 0;
}
int main(void) {
  struct route *first = malloc(sizeof *first);
  first->dest = 3; first->metric = 7;
  atomic_store(&current, first);
  pthread_t r, u;
  pthread_create(&r, 0, reader, 0); pthread_create(&u, 0, updater, 0);
  pthread_join(r, 0); pthread_join(u, 0);
}
