// C++ threads as people write them: lambda captures, a container of threads, guards, a condition variable, once,
// static locals, smart pointers, templates and virtual functions.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {
std::mutex mutex;
std::condition_variable ready;
std::once_flag once;
int initialised, value;
bool published;
std::atomic<int> counter{0};

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  explicit Square(int s) : side(s) {}
  int area() const override { return side * side; }
  int side;
};

template <typename T> T largest(const std::vector<T> &all) {
  T found = all.front();
  for (const T &x : all)
    if (found < x) found = x;
  return found;
}

int slow_start() {
  static int made = counter.fetch_add(1, std::memory_order_relaxed) + 1;
  return made;
}
}  // namespace

int main() {
  int sum = 0;
  std::vector<std::thread> threads;
  for (int i = 1; i <= 2; i++)
    threads.emplace_back([&sum, i] {
      std::call_once(once, [] { initialised++; });
      std::lock_guard<std::mutex> guard(mutex);
      sum += i;
      value = initialised;
      published = true;
      ready.notify_one();
    });
  {
    std::unique_lock<std::mutex> lock(mutex);
    ready.wait(lock, [] { return published; });
    assert(value == 1);
  }
  for (auto &t : threads) t.join();
  assert(sum == 3 && initialised == 1);
  std::unique_ptr<Shape> shape = std::make_unique<Square>(3);
  assert(shape->area() == 9 && largest(std::vector<int>{3, 7, 5}) == 7);
  assert(slow_start() == 1 && slow_start() == 1);
}
