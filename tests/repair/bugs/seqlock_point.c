// repair: changes=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct { atomic_uint seq; atomic_int x, y; } point_t;
static point_t p;

static void move_to(point_t *q, int x, int y) {
  unsigned s = atomic_load_explicit(&q->seq, memory_order_relaxed);
  atomic_store_explicit(&q->seq, s + 1, memory_order_relaxed);
  atomic_store_explicit(&q->x, x, memory_order_relaxed);
  atomic_store_explicit(&q->y, y, memory_order_relaxed);
  atomic_store_explicit(&q->seq, s + 2, memory_order_release);
}

static int where(point_t *q, int *x, int *y) {
  unsigned s = atomic_load_explicit(&q->seq, memory_order_acquire);
  if (s & 1) return 0;
  *x = atomic_load_explicit(&q->x, memory_order_relaxed);
  *y = atomic_load_explicit(&q->y, memory_order_relaxed);
  return atomic_load_explicit(&q->seq, memory_order_relaxed) == s;
}

static void *writer(void *a) { move_to(&p, 3, 4); return 0; }
static void *reader(void *a) {
  int x, y;
  if (where(&p, &x, &y)) assert((x == 0 && y == 0) || (x == 3 && y == 4));
  return 0;
}
int main(void) {
  pthread_t w, r;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_join(w, 0); pthread_join(r, 0);
}
