#include <atomic_queue/atomic_queue.h>

#include "../threads.hpp"

int main() {
  static atomic_queue::AtomicQueue<unsigned, 2> queue;
  unsigned taken[2] = {};
  run([&] { queue.try_push(1u); }, [&] { queue.try_push(2u); }, [&] { if (!queue.try_pop(taken[0])) taken[0] = 0; });
  assert(taken[0] <= 2);
}
