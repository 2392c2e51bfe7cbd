// repair: declares=instance_
#include <cassert>
#include <mutex>
#include <thread>

class Registry {
  int entries_;
  static Registry *instance_;
  static std::mutex m_;
  Registry() : entries_(12) {}

 public:
  static Registry *get() {
    if (instance_ == nullptr) {
      std::lock_guard<std::mutex> g(m_);
      if (instance_ == nullptr) instance_ = new Registry;
    }
    return instance_;
  }
  int entries() const { return entries_; }
};
Registry *Registry::instance_ = nullptr;
std::mutex Registry::m_;

int main() {
  std::thread a([] { assert(Registry::get()->entries() == 12); });
  std::thread b([] { assert(Registry::get()->entries() == 12); });
  a.join();
  b.join();
}
