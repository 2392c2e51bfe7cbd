// repair: changes=4
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>

struct node { int v; };
static _Atomic(struct node *) shared, hazard;
static void *t0(void *u) { struct node *p = atomic_load_explicit(&shared, memory_order_acquire); if (!p) return 0;
  atomic_store_explicit(&hazard, p, memory_order_release);
  if (atomic_load_explicit(&shared, memory_order_acquire) == p) assert(p->v == 1);
  atomic_store_explicit(&hazard, 0, memory_order_release); return 0; }
static void *t1(void *u) { struct node *p = atomic_exchange_explicit(&shared, 0, memory_order_acq_rel);
  if (atomic_load_explicit(&hazard, memory_order_acquire) != p) free(p); return 0; }
int main(void) { struct node *n = malloc(sizeof *n); n->v = 1; atomic_init(&shared, n); pthread_t a, b; pthread_create(&a, 0, t0, 0); pthread_create(&b, 0, t1, 0); pthread_join(a, 0); pthread_join(b, 0); }
