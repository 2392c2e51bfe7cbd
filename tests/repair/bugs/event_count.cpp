// repair: changes=3
#include <atomic>
#include <mutex>
#include <condition_variable>
#include <thread>
#include <cassert>
struct EventCount {
  std::atomic<unsigned> epoch{0}, waiters{0};
  std::mutex m; std::condition_variable cv;
  unsigned prepare() { waiters.fetch_add(1, std::memory_order_relaxed); return epoch.load(std::memory_order_relaxed); }
  void wait(unsigned e) { std::unique_lock<std::mutex> l(m); while (epoch.load(std::memory_order_relaxed) == e) cv.wait(l); waiters.fetch_sub(1); }
  void notify() { if (waiters.load(std::memory_order_relaxed)) { std::lock_guard<std::mutex> l(m); epoch.fetch_add(1); cv.notify_all(); } }
};
EventCount ec; std::atomic<int> item{0};
int main() {
  std::thread c([]{ if (!item.load(std::memory_order_relaxed)) { unsigned e = ec.prepare(); if (!item.load(std::memory_order_relaxed)) ec.wait(e); else ec.waiters--; } });
  std::thread p([]{ item.store(1, std::memory_order_relaxed); ec.notify(); });
  c.join(); p.join();
}
