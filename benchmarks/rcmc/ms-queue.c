// ms-queue(N): the queue of M. M. Michael and M. L. Scott (PODC 1996, Figure 1; the comments name its lines). Each of N threads
// puts a value into it and takes one out, which must be there. Nodes are not used again, so pointers need no counters.
#include "frame.h"
struct node { int value; _Atomic(struct node *) next; };
static struct node nodes[N + 1];
static _Atomic(struct node *) head = &nodes[0], tail = &nodes[0];
static void enqueue(struct node *n) {
  for (;;) { // E4
    struct node *last = load(&tail, acq);        // E5
    struct node *after = load(&last->next, acq); // E6
    if (last != load(&tail, acq)) continue;      // E7
    if (after) {                                 // E8
      cas(&tail, &last, after, rel);             // E13
    } else if (cas(&last->next, &after, n, rel)) { // E9
      cas(&tail, &last, n, rel);                   // E17
      return;
    }
  }
}
static int dequeue(void) {
  for (;;) { // D1
    struct node *first = load(&head, acq);        // D2
    struct node *last = load(&tail, acq);         // D3
    struct node *after = load(&first->next, acq); // D4
    if (first != load(&head, acq)) continue;      // D5
    if (first == last) {                          // D6
      if (!after) return 0;                       // D7
      cas(&tail, &last, after, rel);              // D10
    } else {
      int value = after->value;                          // D12
      if (cas(&head, &first, after, rel)) return value; // D13
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
