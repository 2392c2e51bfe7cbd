#include <rigtorp/MPMCQueue.h>

#include "../threads.hpp"

int main() {
  rigtorp::MPMCQueue<int> queue(1);
  int taken[2] = {};
  run([&] { queue.try_push(1); }, [&] { if (!queue.try_pop(taken[0])) taken[0] = 0; },
      [&] { if (!queue.try_pop(taken[1])) taken[1] = 0; });
  assert(taken[0] + taken[1] <= 1);
}
