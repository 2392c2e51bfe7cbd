// fencepost: model=rc11 expect=pass executions=16
// fencepost: model=rc11 flags=-DLINK=rlx expect=fail kind=race line=25
// fencepost: model=rc11 flags=-DNO_HEAD_LOCK expect=fail kind=race line=23
// The queue with two locks of Michael and Scott: one for each end.
#include "../check.h"
#ifndef LINK
#define LINK rel
#endif
struct node { int value; _Atomic(struct node *) next; };
static struct node nodes[3], *head = &nodes[0], *tail = &nodes[0];
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;
static void enqueue(struct node *n) {
  pthread_mutex_lock(&tail_lock);
  store(&tail->next, n, LINK);
  tail = n;
  pthread_mutex_unlock(&tail_lock);
}
static int dequeue(void) {
  int value = 0;
#ifndef NO_HEAD_LOCK
  pthread_mutex_lock(&head_lock);
#endif
  struct node *after = load(&head->next, acq);
  if (after) {
    value = after->value;
    head = after;
  }
#ifndef NO_HEAD_LOCK
  pthread_mutex_unlock(&head_lock);
#endif
  return value;
}
static void *producer(void *arg) {
  struct node *n = &nodes[1 + (intptr_t)arg];
  n->value = 1 + (int)(intptr_t)arg;
  enqueue(n);
  return NULL;
}
static void *consumer(void *arg) {
  int v = dequeue();
  assert(v >= 0 && v <= 2);
  return NULL;
}
static void *thread(void *arg) { return (intptr_t)arg < 2 ? producer(arg) : consumer(arg); }
int main(void) { run(thread, 4); }
