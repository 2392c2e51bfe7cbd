// repair: changes=2
#include <atomic>
#include <thread>
#include <cassert>
struct node { std::atomic<node *> next{nullptr}; int v = 0; };
node stub, n1, n2;
std::atomic<node *> head{&stub};
void push(node *n, int v) {
  n->v = v;
  node *p = head.exchange(n, std::memory_order_relaxed);
  p->next.store(n, std::memory_order_relaxed);
}
int main() {
  std::thread a([] { push(&n1, 1); });
  std::thread b([] { push(&n2, 2); });
  std::thread c([] { node *t = &stub; for (int i = 0; i < 2; i++) { node *n = t->next.load(std::memory_order_relaxed); if (!n) break; assert(n->v != 0); t = n; } });
  a.join(); b.join(); c.join();
}
