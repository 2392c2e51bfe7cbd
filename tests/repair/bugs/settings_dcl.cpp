// repair: changes=2
#include <atomic>
#include <mutex>
#include <thread>
#include <cassert>
struct Config { int port; int threads; Config() : port(8080), threads(4) {} };
class Settings {
  static std::atomic<Config*> inst;
  static std::mutex mu;
public:
  static Config& get() {
    Config* p = inst.load(std::memory_order_relaxed);
    if (!p) {
      std::lock_guard<std::mutex> g(mu);
      p = inst.load(std::memory_order_relaxed);
      if (!p) { p = new Config; inst.store(p, std::memory_order_relaxed); }
    }
    return *p;
  }
};
std::atomic<Config*> Settings::inst{nullptr};
std::mutex Settings::mu;
int main() {
  std::thread t([] { assert(Settings::get().port == 8080); });
  assert(Settings::get().threads == 4);
  t.join();
}
