// repair: changes=2 warns=1
#include <atomic>
#include <mutex>
#include <thread>
#include <cassert>
struct Widget { int size = 3; };
std::atomic<Widget*> instance{nullptr}; std::mutex guard;
Widget *get() {
  Widget *w = instance.load(std::memory_order_relaxed);
  if (!w) { std::lock_guard<std::mutex> g(guard); w = instance.load(std::memory_order_relaxed); if (!w) { w = new Widget; instance.store(w, std::memory_order_relaxed); } }
  return w;
}
int main() { std::thread a([]{ assert(get()->size == 3); }), b([]{ assert(get()->size == 3); }); a.join(); b.join(); }
