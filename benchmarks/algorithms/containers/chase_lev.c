// fencepost: model=rc11 expect=pass executions=733
// fencepost: model=tso expect=pass executions=520
// fencepost: model=rc11 flags=-DTAKE_FENCE=acq_rel expect=fail kind=assertion line=69
// fencepost: model=rc11 flags=-DSTEAL_FENCE=acq_rel expect=fail kind=assertion line=69
// fencepost: model=rc11 flags=-DPUSH_FENCE=rlx expect=fail kind=assertion line=70
// The work-stealing deque of Chase and Lev, as Le, Pop, Cohen and Nardelli wrote it for C11; an array that never grows.
#include "../check.h"
#ifndef TAKE_FENCE
#define TAKE_FENCE sc
#endif
#ifndef STEAL_FENCE
#define STEAL_FENCE sc
#endif
#ifndef PUSH_FENCE
#define PUSH_FENCE rel
#endif
#define EMPTY 0
static atomic_int top, bottom, array[4], taken[3];
static void push(int task) {
  int b = load(&bottom, rlx);
  store(&array[b], task, rlx);
  fence(PUSH_FENCE);
  store(&bottom, b + 1, rlx);
}
static int take(void) {
  int b = load(&bottom, rlx) - 1;
  store(&bottom, b, rlx);
  fence(TAKE_FENCE);
  int t = load(&top, rlx);
  if (t > b) {
    store(&bottom, b + 1, rlx);
    return EMPTY;
  }
  int task = load(&array[b], rlx);
  if (t == b) {
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, sc, rlx)) task = EMPTY;
    store(&bottom, b + 1, rlx);
  }
  return task;
}
static int steal(void) {
  int t = load(&top, acq);
  fence(STEAL_FENCE);
  int b = load(&bottom, acq);
  if (t >= b) return EMPTY;
  int task = load(&array[t], rlx);
  return atomic_compare_exchange_strong_explicit(&top, &t, t + 1, sc, rlx) ? task : EMPTY;
}
static void *thief(void *arg) {
  for (int k = 0; k < 2; k++) {
    int b = load(&bottom, rlx), t = load(&top, rlx);
    int task = steal();
    assert(task >= 0 && task <= 2);
    if (task) fadd(&taken[task], 1, rlx);
    else if (b > t) assert(true);
  }
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thief, NULL);
  push(1);
  push(2);
  int task = take();
  if (task) fadd(&taken[task], 1, rlx);
  task = take();
  if (task) fadd(&taken[task], 1, rlx);
  pthread_join(t, NULL);
  assert(load(&taken[1], rlx) <= 1 && load(&taken[2], rlx) <= 1);
  assert(load(&taken[1], rlx) + load(&taken[2], rlx) == 2);
}
