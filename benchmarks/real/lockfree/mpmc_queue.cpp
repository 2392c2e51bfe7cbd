#include <lockfree.hpp>

#include "../threads.hpp"

int main() {
  lockfree::mpmc::Queue<int, 4> queue;
  int taken[2] = {};
  run([&] { assert(queue.Push(1)); }, [&] { assert(queue.Push(2)); },
      [&] { if (!queue.Pop(taken[0])) taken[0] = 0; }, [&] { if (!queue.Pop(taken[1])) taken[1] = 0; });
  assert(taken[0] == 0 || taken[0] != taken[1]);
}
