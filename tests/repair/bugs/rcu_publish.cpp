// repair: changes=2
#include <atomic>
#include <thread>
#include <cassert>
struct config { int a, b; };
std::atomic<config *> current{nullptr};
config fresh;
int main() {
  std::thread w([] { fresh.a = 1; fresh.b = 2; current.store(&fresh, std::memory_order_relaxed); });
  std::thread r([] { config *c = current.load(std::memory_order_relaxed); if (c) assert(c->a + 1 == c->b); });
  w.join(); r.join();
}
