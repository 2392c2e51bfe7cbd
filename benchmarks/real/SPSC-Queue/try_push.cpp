#include <dro/spsc-queue.hpp>

#include "../threads.hpp"

int main() {
  dro::SPSCQueue<int, 2> queue;
  bool put[2];
  run(
      [&] { for (int k = 0; k < 2; k++) put[k] = queue.try_push(k + 1); },
      [&] {
        for (int k = 0, last = 0; k < 2; k++) {
          int found = 0;
          if (queue.try_pop(found)) assert(found == last + 1), last = found;
        }
      });
  assert(put[0]);
}
