// repair: changes=1
#include <atomic>
#include <thread>
#include <cassert>
class SpinLock {
  std::atomic_flag f = ATOMIC_FLAG_INIT;
public:
  void lock() { while (f.test_and_set(std::memory_order_acquire)) {} }
  void unlock() { f.clear(std::memory_order_relaxed); }
};
SpinLock l; int hits;
void hit() { l.lock(); ++hits; l.unlock(); }
int main() { std::thread a(hit), b(hit); a.join(); b.join(); assert(hits == 2); }
