#include <atomic_queue/atomic_queue.h>

#include "../threads.hpp"

int main() {
  static atomic_queue::AtomicQueue<unsigned, 2> queue;
  unsigned taken[2] = {};
  run([&] { queue.push(1u); }, [&] { queue.push(2u); }, [&] { taken[0] = queue.pop(); });
  assert(taken[0] == 1 || taken[0] == 2);
}
