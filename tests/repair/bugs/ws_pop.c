// repair: changes=3
#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_long top, bottom; static atomic_int tasks[2]; static atomic_int ran[2];
static void push(int t) { long b = atomic_load_explicit(&bottom, memory_order_relaxed); atomic_store_explicit(&tasks[b], t, memory_order_relaxed); atomic_store_explicit(&bottom, b + 1, memory_order_release); }
static int take(void) {
  long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
  long t = atomic_load_explicit(&top, memory_order_relaxed);
  if (t > b) { atomic_store_explicit(&bottom, b + 1, memory_order_relaxed); return -1; }
  int x = atomic_load_explicit(&tasks[b], memory_order_relaxed);
  if (t == b) { if (!atomic_compare_exchange_strong(&top, &t, t + 1)) x = -1; atomic_store_explicit(&bottom, b + 1, memory_order_relaxed); }
  return x;
}
static int steal(void) {
  long t = atomic_load_explicit(&top, memory_order_acquire);
  long b = atomic_load_explicit(&bottom, memory_order_acquire);
  if (t >= b) return -1;
  int x = atomic_load_explicit(&tasks[t], memory_order_relaxed);
  return atomic_compare_exchange_strong(&top, &t, t + 1) ? x : -1;
}
static void run(int t) { if (t >= 0) { int n = atomic_fetch_add(&ran[t], 1); assert(n == 0); } }
static void *thief(void *p) { run(steal()); run(steal()); return p; }
int main(void) { push(0); push(1); pthread_t t; pthread_create(&t, 0, thief, 0); run(take()); run(take()); pthread_join(t, 0); }
