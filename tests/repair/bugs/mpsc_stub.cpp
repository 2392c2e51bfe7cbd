// repair: changes=1
#include <atomic>
#include <thread>
#include <cassert>
struct Node { std::atomic<Node*> next{nullptr}; int payload = 0; };
class Queue {
  Node stub; std::atomic<Node*> head{&stub}; Node *tail = &stub;
public:
  void push(Node *n) { n->next.store(nullptr, std::memory_order_relaxed); Node *prev = head.exchange(n, std::memory_order_acq_rel); prev->next.store(n, std::memory_order_relaxed); }
  Node *pop() { Node *n = tail->next.load(std::memory_order_acquire); if (n) tail = n; return n; }
};
Queue q; Node n1;
int main() {
  std::thread p([]{ n1.payload = 5; q.push(&n1); });
  std::thread c([]{ if (Node *n = q.pop()) assert(n->payload == 5); });
  p.join(); c.join();
}
