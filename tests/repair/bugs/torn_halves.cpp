// repair: fails=assertion
#include <atomic>
#include <thread>
#include <cassert>
#include <cstdint>
struct Stat {
  std::atomic<uint32_t> lo{0}, hi{0};
  void set(uint64_t v) { lo.store(uint32_t(v)); hi.store(uint32_t(v >> 32)); }
  uint64_t get() { return uint64_t(hi.load()) << 32 | lo.load(); }
};
Stat bytes;
int main() {
  std::thread w([] { bytes.set(0x100000001ull); });
  uint64_t v = bytes.get();
  assert(v == 0 || v == 0x100000001ull);
  w.join();
}
