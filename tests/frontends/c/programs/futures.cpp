// Futures and what fulfils them; an exception that travels from one thread to another.
#include <cassert>
#include <future>
#include <thread>
namespace future {
void run() {
  std::promise<int> p;
  std::future<int> f = p.get_future();
  std::thread t([&] { p.set_value(42); });
  assert(f.get() == 42);
  t.join();
}
} // namespace future

namespace packaged {
void run() {
  std::packaged_task<int(int)> t([](int x) { return x + 1; });
  auto f = t.get_future();
  std::thread th(std::move(t), 41);
  assert(f.get() == 42);
  th.join();
}
} // namespace packaged

namespace async_deferred {
void run() {
  auto f = std::async(std::launch::deferred, [] { return 6; });
  assert(f.get() == 6);
  auto g = std::async([] { return 6; });
  assert(g.get() == 6);
}
} // namespace async_deferred
int main() {
  future::run();
  packaged::run();
  async_deferred::run();
}
