// repair: changes=2
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <assert.h>
struct table { unsigned size; int *slots; };
static struct table *_Atomic tab;
static void *lookup(void *arg) {
  struct table *t = atomic_load_explicit(&tab, memory_order_relaxed);
  assert(t->slots[1 % t->size] == 7);
  return arg;
}
static void *resize(void *arg) {
  struct table *old = atomic_load_explicit(&tab, memory_order_relaxed);
  struct table *t = malloc(sizeof *t);
  t->size = 2; t->slots = malloc(2 * sizeof(int));
  for (unsigned i = 0; i < 2; i++) t->slots[i] = old->slots[0];
  atomic_store_explicit(&tab, t, memory_order_relaxed);
  return arg;
}
int main(void) {
  struct table *t = malloc(sizeof *t); t->size = 1; t->slots = malloc(sizeof(int)); t->slots[0] = 7;
  atomic_init(&tab, t);
  pthread_t a, b; pthread_create(&a, 0, lookup, 0); pthread_create(&b, 0, resize, 0);
  pthread_join(a, 0); pthread_join(b, 0);
}
