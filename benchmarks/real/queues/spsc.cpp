#include <spsc-queue.hpp>

#include "../threads.hpp"

int main() {
  spsc_queue_t<int> queue;
  int found = 0;
  run([&] { queue.enqueue(1); }, [&] { if (queue.dequeue(found)) assert(found == 1); });
}
