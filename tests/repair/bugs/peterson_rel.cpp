// repair: changes=3 warns=1
#include <atomic>
#include <thread>
#include <cassert>
struct Peterson { std::atomic<bool> flag[2] = {false, false}; std::atomic<int> turn{0};
  void lock(int i) { flag[i].store(true, std::memory_order_release); turn.store(1 - i, std::memory_order_release); while (flag[1 - i].load(std::memory_order_acquire) && turn.load(std::memory_order_acquire) == 1 - i) {} }
  void unlock(int i) { flag[i].store(false, std::memory_order_release); } };
Peterson p; int shared;
int main() { std::thread a([]{ for (int k = 0; k < 2; k++) { p.lock(0); shared++; p.unlock(0); } }), b([]{ for (int k = 0; k < 2; k++) { p.lock(1); shared++; p.unlock(1); } }); a.join(); b.join(); assert(shared == 4); }
