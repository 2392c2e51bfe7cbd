// repair: declares=instance
#include <mutex>
#include <thread>
#include <cassert>
struct widget { int v; };
widget storage;
widget *instance = nullptr;
std::mutex m;
widget *get() {
  if (!instance) {
    std::lock_guard<std::mutex> g(m);
    if (!instance) { storage.v = 7; instance = &storage; }
  }
  return instance;
}
int main() {
  std::thread a([] { assert(get()->v == 7); });
  std::thread b([] { assert(get()->v == 7); });
  a.join(); b.join();
}
