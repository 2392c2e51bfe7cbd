#include <atomic_queue/atomic_queue.h>

#include "../threads.hpp"

int main() {
  static atomic_queue::AtomicQueue<int*, 2> queue;
  static int values[2];
  auto push = [](int& value) { return [&] { value = 7; queue.try_push(&value); }; };
  run(push(values[0]), push(values[1]), [&] { int* found; if (queue.try_pop(found)) assert(*found == 7); });
}
