// repair: changes=3
#include <atomic>
#include <thread>
#include <cassert>
struct Deque {
  std::atomic<int> top{0}, bottom{0};
  std::atomic<int> tasks[4];
  void push(int t) {
    int b = bottom.load(std::memory_order_relaxed);
    tasks[b & 3].store(t, std::memory_order_relaxed);
    bottom.store(b + 1, std::memory_order_release);
  }
  int take() {
    int b = bottom.load(std::memory_order_relaxed) - 1;
    bottom.store(b, std::memory_order_relaxed);
    int t = top.load(std::memory_order_acquire);
    if (t > b) { bottom.store(b + 1, std::memory_order_relaxed); return 0; }
    int x = tasks[b & 3].load(std::memory_order_relaxed);
    if (t == b) {
      if (!top.compare_exchange_strong(t, t + 1)) x = 0;
      bottom.store(b + 1, std::memory_order_relaxed);
    }
    return x;
  }
  int steal() {
    int t = top.load(std::memory_order_acquire);
    int b = bottom.load(std::memory_order_acquire);
    if (t >= b) return 0;
    int x = tasks[t & 3].load(std::memory_order_relaxed);
    if (!top.compare_exchange_strong(t, t + 1)) return 0;
    return x;
  }
};
Deque d;
std::atomic<int> executed[3];
void exec(int t) { if (t) assert(executed[t].fetch_add(1) == 0 && "task executed twice"); }
int main() {
  std::thread owner([] { d.push(1); d.push(2); exec(d.take()); exec(d.take()); });
  std::thread thief([] { exec(d.steal()); exec(d.steal()); });
  owner.join(); thief.join();
}
