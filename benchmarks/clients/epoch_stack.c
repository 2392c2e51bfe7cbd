// fencepost: model=rc11 flags=-DN=2,-DK=1 expect=pass
// A stack by compare-exchange (R. K. Treiber, 1986) whose nodes are freed by epochs (K. Fraser, 2004): N threads push
// and pop K times each. One element for each of a few hundred events.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static _Atomic(struct node *) top;
static atomic_uint global, local[N]; // epochs; bit 0 of a local one: the thread is inside
struct retired { struct node *node; unsigned epoch; };
static void enter(int me) {
  unsigned now = atomic_load_explicit(&global, memory_order_relaxed);
  atomic_store_explicit(&local[me], now << 1 | 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
}
static void leave(int me) { atomic_store_explicit(&local[me], 0, memory_order_release); }
static void advance(void) { // where all who are inside have seen the present one
  unsigned now = atomic_load_explicit(&global, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  for (int t = 0; t < N; t++) {
    unsigned theirs = atomic_load_explicit(&local[t], memory_order_acquire);
    if (theirs & 1 && theirs >> 1 != now) return;
  }
  atomic_compare_exchange_strong_explicit(&global, &now, now + 1, memory_order_acq_rel, memory_order_relaxed);
}
static void push(int value) {
  struct node *fresh = malloc(sizeof *fresh);
  fresh->value = value;
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do fresh->next = old;
  while (!atomic_compare_exchange_strong_explicit(&top, &old, fresh, memory_order_release, memory_order_relaxed));
}
static struct node *pop(void) {
  struct node *old = atomic_load_explicit(&top, memory_order_acquire);
  while (old && !atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_acq_rel,
                                                         memory_order_acquire)) ;
  return old;
}
static void *user(void *p) {
  int me = (int)(long)p;
  struct retired waiting[K];
  int count = 0;
  for (int k = 0; k < K; k++) {
    enter(me);
    push(me * K + k);
    struct node *got = pop();
    if (got) {
      assert(got->value >= 0 && got->value < N * K);
      waiting[count].epoch = atomic_load_explicit(&global, memory_order_acquire);
      waiting[count++].node = got;
    }
    leave(me);
    advance();
    unsigned now = atomic_load_explicit(&global, memory_order_acquire);
    while (count && waiting[count - 1].epoch + 2 <= now) free(waiting[--count].node);
  }
  return 0;
}
int main(void) {
  pthread_t p[N];
  for (long i = 0; i < N; i++) pthread_create(&p[i], 0, user, (void *)i);
  for (int i = 0; i < N; i++) pthread_join(p[i], 0);
  return 0;
}
