#include <spsc-bounded-queue.hpp>

#include "../threads.hpp"

int main() {
  spsc_bounded_queue_t<int> queue(2);
  int popped = 0;
  run([&] { for (int i = 1; i <= 2; i++) queue.enqueue(i); },
      [&] {
        int found = 0;
        for (int i = 0; i < 2; i++)
          if (queue.dequeue(found)) {
            assert(found > popped);
            popped = found;
          }
      });
}
