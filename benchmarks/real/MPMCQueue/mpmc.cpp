#include <rigtorp/MPMCQueue.h>

#include "../threads.hpp"

int main() {
  rigtorp::MPMCQueue<int> queue(2);
  int taken[2] = {};
  auto consumer = [&](int& place) { return [&] { queue.pop(place); }; };
  run([&] { queue.push(1); }, [&] { queue.push(2); }, consumer(taken[0]), consumer(taken[1]));
  assert(taken[0] + taken[1] == 3 && taken[0] != taken[1]);
}
