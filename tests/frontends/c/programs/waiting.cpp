// What C++20 waits with.
#include <atomic>
#include <cassert>
#include <latch>
#include <semaphore>
#include <stop_token>
#include <thread>
namespace atomicwait {
std::atomic<int> f{0};
int d;
void run() {
  std::thread t([] {
    f.wait(0);
    assert(d == 7);
  });
  d = 7;
  f.store(1);
  f.notify_one();
  t.join();
}
} // namespace atomicwait

namespace latch {
int a;
void run() {
  std::latch l(1);
  std::thread t([&] {
    a = 1;
    l.count_down();
  });
  l.wait();
  assert(a == 1);
  t.join();
}
} // namespace latch

namespace semaphore {
int x;
void run() {
  std::counting_semaphore<4> s(1);
  std::binary_semaphore b(0);
  std::thread t([&] {
    s.acquire();
    x++;
    s.release();
    b.release();
  });
  s.acquire();
  x++;
  s.release();
  b.acquire();
  assert(x == 2);
  t.join();
}
} // namespace semaphore


namespace jthread {
std::atomic<int> n{0};
void run() {
  {
    std::jthread t([](std::stop_token s) {
      while (!s.stop_requested()) {
      }
      n = 1;
    });
    t.request_stop();
  }
  assert(n == 1);
}
} // namespace jthread
int main() {
  atomicwait::run();
  latch::run();
  semaphore::run();
  jthread::run();
}
