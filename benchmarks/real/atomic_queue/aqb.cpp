#include <atomic_queue/atomic_queue.h>

#include "../threads.hpp"

int main() {
  atomic_queue::AtomicQueueB<unsigned> queue(2);
  unsigned taken[2] = {};
  run([&] { queue.push(1u); }, [&] { taken[0] = queue.pop(); });
  assert(taken[0] == 1);
}
