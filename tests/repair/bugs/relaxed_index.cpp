// repair: changes=1
#include <atomic>
#include <thread>
#include <string>
#include <cassert>
struct Log { int lines[4]; std::atomic<std::size_t> used{0};
  void append(int v) { auto i = used.load(std::memory_order_relaxed); lines[i] = v; used.store(i + 1, std::memory_order_relaxed); }
  int last() const { auto i = used.load(std::memory_order_acquire); return i ? lines[i - 1] : -1; } };
Log log_;
int main() { std::thread w([]{ log_.append(3); log_.append(4); }); std::thread r([]{ int v = log_.last(); assert(v == -1 || v == 3 || v == 4); }); w.join(); r.join(); }
