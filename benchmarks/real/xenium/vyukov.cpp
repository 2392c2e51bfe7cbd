#include <xenium/vyukov_bounded_queue.hpp>

#include "../threads.hpp"

int main() {
  xenium::vyukov_bounded_queue<int> queue(2);
  int taken[2] = {};
  run([&] { queue.try_push(1); }, [&] { queue.try_push(2); }, [&] { if (!queue.try_pop(taken[0])) taken[0] = 0; });
  assert(taken[0] >= 0 && taken[0] <= 2);
}
