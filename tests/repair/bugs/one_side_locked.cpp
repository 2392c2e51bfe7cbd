// repair: fails=race
#include <mutex>
#include <thread>
#include <cassert>
std::mutex m; long balance = 100;
int main() {
  std::thread a([] { std::lock_guard<std::mutex> g(m); balance -= 10; });
  std::thread b([] { if (balance > 50) { std::lock_guard<std::mutex> g(m); balance -= 20; } });
  a.join(); b.join(); assert(balance == 70);
}
