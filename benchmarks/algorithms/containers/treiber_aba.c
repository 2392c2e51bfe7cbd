// fencepost: model=sc unroll=4 expect=fail kind=assertion line=24
// fencepost: model=sc flags=-DCOUNTED unroll=4 expect=pass executions=62
// Treiber's stack on an array with nodes that come back: a thread that pops sees the same top again while its next has
// changed (ABA). COUNTED puts a number beside the index, which grows with every change.
#include "../check.h"
#define NODES 3
#ifdef COUNTED
#define STEP 16
#else
#define STEP 0
#endif
static atomic_int top = 1;  /* index + 1 in the low four bits, 0 for empty */
static atomic_int next[NODES + 1] = {0, 2, 3, 0};
static atomic_int owned[NODES + 1];
static int pop(void) {
  int seen = load(&top, sc);
  for (;;) {
    int node = seen & 15;
    if (!node) return 0;
    int after = load(&next[node], sc);
    if (atomic_compare_exchange_strong(&top, &seen, (seen & ~15) + STEP + after)) break;
  }
  int node = seen & 15;
  assert(fadd(&owned[node], 1, sc) == 0);
  return node;
}
static void push(int node) {
  fsub(&owned[node], 1, sc);
  int seen = load(&top, sc);
  do {
    store(&next[node], seen & 15, sc);
  } while (!atomic_compare_exchange_strong(&top, &seen, (seen & ~15) + STEP + node));
}
static void *popper(void *arg) {
  pop();
  pop();
  return NULL;
}
static void *recycler(void *arg) {
  int a = pop();
  pop();
  if (a) push(a);
  return NULL;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, popper, NULL);
  pthread_create(&b, NULL, recycler, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
