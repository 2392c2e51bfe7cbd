#include <concurrentqueue.h>

#include "../threads.hpp"

int main() {
  moodycamel::ConcurrentQueue<int> queue(2, 0, 2);
  int found = 0;
  run([&] { queue.enqueue(1); }, [&] { if (!queue.try_dequeue(found)) found = 0; });
  assert(found == 0 || found == 1);
}
