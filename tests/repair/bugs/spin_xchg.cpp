// repair: changes=1
#include <atomic>
#include <thread>
#include <cassert>
class spinlock { std::atomic_flag f = ATOMIC_FLAG_INIT; public:
  void lock() { while (f.test_and_set(std::memory_order_acquire)) ; }
  void unlock() { f.clear(std::memory_order_relaxed); } };
spinlock l; int n;
int main() { auto f = [] { l.lock(); n++; l.unlock(); }; std::thread a(f), b(f); a.join(); b.join(); assert(n == 2); }
