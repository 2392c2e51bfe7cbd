#include <mpmc-bounded-queue.hpp>

#include "../threads.hpp"

int main() {
  mpmc_bounded_queue_t<int> queue(2);
  int taken[2] = {};
  bool pushed[2] = {};
  run([&] { pushed[0] = queue.enqueue(1); }, [&] { pushed[1] = queue.enqueue(2); },
      [&] { if (!queue.dequeue(taken[0])) taken[0] = 0; },
      [&] { if (!queue.dequeue(taken[1])) taken[1] = 0; });
  assert(pushed[0] && pushed[1]);
  assert(taken[0] == 0 || taken[0] != taken[1]);
}
