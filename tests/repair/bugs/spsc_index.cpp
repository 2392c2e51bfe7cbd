// repair: changes=4
#include <atomic>
#include <thread>
#include <cassert>
template <int N> struct ring {
  int slots[N];
  std::atomic<unsigned> head{0}, tail{0};
  bool push(int v) {
    unsigned t = tail.load(std::memory_order_relaxed);
    if (t - head.load(std::memory_order_relaxed) == N) return false;
    slots[t % N] = v;
    tail.store(t + 1, std::memory_order_relaxed);
    return true;
  }
  bool pop(int &v) {
    unsigned h = head.load(std::memory_order_relaxed);
    if (h == tail.load(std::memory_order_relaxed)) return false;
    v = slots[h % N];
    head.store(h + 1, std::memory_order_relaxed);
    return true;
  }
};
ring<1> q;
int main() {
  std::thread p([] { q.push(1); q.push(2); });
  std::thread c([] { int v; if (q.pop(v)) assert(v == 1); if (q.pop(v)) assert(v >= 1); });
  p.join(); c.join();
}
