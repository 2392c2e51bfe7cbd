#include <mpsc-queue.hpp>

#include "../threads.hpp"

int main() {
  mpsc_queue_t<int> queue;
  int taken = 0;
  run([&] { queue.enqueue(1); }, [&] { queue.enqueue(2); },
      [&] {
        int found = 0;
        for (int i = 0; i < 2; i++)
          if (queue.dequeue(found)) taken += found;
      });
  for (int found = 0; queue.dequeue(found);) taken += found;
  assert(taken == 3);
}
