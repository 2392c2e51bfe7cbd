#include <dro/spsc-queue.hpp>

#include "../threads.hpp"

int main() {
  dro::SPSCQueue<int> queue(2);
  run(
      [&] { for (int k = 1; k <= 3; k++) queue.push(k); },
      [&] {
        for (int k = 1; k <= 3; k++) {
          int found = 0;
          queue.pop(found);
          assert(found == k);
        }
      });
}
