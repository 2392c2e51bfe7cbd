// ms-queue-short(N): the queue of ms-queue.c without its second looks at head and tail. With every loop unrolled it has many
// executions and few events: a workload for the explorer itself.
#include "frame.h"
struct node { int value; _Atomic(struct node *) next; };
static struct node nodes[N + 1];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];
static void enqueue(struct node *n) {
  for (;;) {
    struct node *last = load(&tail, acq);
    struct node *after = load(&last->next, acq);
    if (after) {
      cas(&tail, &last, after, rel);
    } else if (cas(&last->next, &after, n, rel)) {
      cas(&tail, &last, n, rel);
      return;
    }
  }
}
static int dequeue(void) {
  for (;;) {
    struct node *first = load(&head, acq);
    struct node *last = load(&tail, acq);
    struct node *after = load(&first->next, acq);
    if (first == last) {
      if (!after) return 0;
      cas(&tail, &last, after, rel);
    } else {
      int value = after->value;
      if (cas(&head, &first, after, acq_rel)) return value;
    }
  }
}
static void *thread(void *i) {
  struct node *mine = &nodes[(intptr_t)i + 1];
  mine->value = (int)(intptr_t)i + 1;
  enqueue(mine);
  assert(dequeue() != 0);
  return NULL;
}
int main(void) { run(thread, N); }
