// std::barrier.
#include <barrier>
#include <cassert>
#include <thread>

namespace barrier {
int a[2], b[2];
void run() {
  std::barrier sync(2);
  auto f = [&](int i) {
    a[i] = i + 1;
    sync.arrive_and_wait();
    b[i] = a[0] + a[1];
  };
  std::thread t(f, 0), u(f, 1);
  t.join();
  u.join();
  assert(b[0] == 3 && b[1] == 3);
}
} // namespace barrier
int main() { barrier::run(); }
