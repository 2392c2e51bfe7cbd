// The C++ library: containers behind a mutex, shared_ptr across threads, destructors of static and thread-local objects.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <thread>
#include <vector>

template <class T> class Channel {
  std::queue<T> items;
  std::mutex mutex;
  std::condition_variable changed;
  bool closed = false;

public:
  void push(T value) {
    {
      std::lock_guard guard(mutex);
      items.push(std::move(value));
      closed = true;
    }
    changed.notify_one();
  }
  bool pop(T &to) {
    std::unique_lock guard(mutex);
    changed.wait(guard, [&] { return !items.empty() || closed; });
    if (items.empty()) return false;
    to = std::move(items.front());
    items.pop();
    return true;
  }
};

struct Counted {
  int value;
  ~Counted() { value = 0; }
};

static std::vector<int> seen;
struct Last {
  ~Last() { assert(seen.size() == 2); }
} last;
struct Local {
  std::unique_ptr<int> value = std::make_unique<int>(1);
};
thread_local Local local;

int main() {
  Channel<int> channel;
  auto shared = std::make_shared<Counted>(Counted{3});
  std::weak_ptr<Counted> weak = shared;
  int plain = 0;
  std::thread first([&channel, shared] { channel.push(shared->value + *local.value - 1); });
  std::thread second([&plain] { std::atomic_ref<int>(plain).fetch_add(1, std::memory_order_relaxed); });
  std::atomic_ref<int>(plain).fetch_add(1, std::memory_order_relaxed);
  shared.reset();
  int got = 0, sum = 0;
  while (channel.pop(got)) sum += got;
  first.join();
  second.join();
  assert(sum == 3 && plain == 2 && weak.expired());
  seen.push_back(sum);
  seen.push_back(plain);
}
