#include <rigtorp/SPSCQueue.h>

#include "../threads.hpp"

int main() {
  rigtorp::SPSCQueue<int> queue(1);
  int pushed = 0, popped = 0;
  run([&] { for (int i = 1; i <= 3; i++) if (queue.try_push(pushed + 1)) pushed++; },
      [&] {
        for (int i = 1; i <= 3; i++)
          if (int* found = queue.front()) {
            assert(*found == popped + 1);
            popped++;
            queue.pop();
          }
      });
  assert(popped <= pushed && queue.size() == size_t(pushed - popped));
}
