// qspinlock(N): each of N threads writes a shared variable under the queued spin lock of Linux: one word with a locked
// byte, a pending bit for the first that waits and the number of the last of the others, who wait in a queue as in MCS.
#include "frame.h"
#define LOCKED 1
#define PENDING 0x100
#define TAIL(i) ((int)((i) + 1) << 16)
struct node { _Atomic(struct node *) next; atomic_int served; };
static struct node nodes[N];
static atomic_int lock;
static void queue(int me) {
  struct node *node = &nodes[me];
  store(&node->next, NULL, rlx);
  store(&node->served, 0, rlx);
  int old = load(&lock, rlx);
  while (!cas(&lock, &old, (old & 0xffff) | TAIL(me), acq_rel)) { }
  if (old >> 16) {
    store(&nodes[(old >> 16) - 1].next, node, rel);
    wait_until(load(&node->served, acq));
  }
  int value = load(&lock, acq);
  wait_until(!(value & (LOCKED | PENDING)));
  while (value == TAIL(me)) {
    if (cas(&lock, &value, LOCKED, rlx)) return; /* nobody behind: leave the queue and take the lock at once */
  }
  atomic_fetch_or_explicit(&lock, LOCKED, rlx);
  struct node *behind = load(&node->next, acq);
  wait_until(behind);
  store(&behind->served, 1, rel);
}
static void acquire(int me) {
  int old = 0;
  if (cas(&lock, &old, LOCKED, acq)) return;
  if (old & ~LOCKED) {
    queue(me);
    return;
  }
  old = atomic_fetch_or_explicit(&lock, PENDING, acq);
  if (old & ~LOCKED) {
    if (!(old & PENDING)) atomic_fetch_and_explicit(&lock, ~PENDING, rlx);
    queue(me);
    return;
  }
  wait_until(!(load(&lock, acq) & LOCKED));
  fadd(&lock, LOCKED - PENDING, rlx); /* from waiting to holding */
}
static void release(void) { fsub(&lock, LOCKED, rel); }
static void *thread(void *i) {
  acquire((int)(intptr_t)i);
  critical_section();
  release();
  return NULL;
}
int main(void) {
  run(thread, N);
  assert(shared == N);
}
