#include <deaod/spsc_queue.hpp>

#include "../threads.hpp"

int main() {
  deaod::spsc_queue<int, 2> queue;
  int popped = 0;
  run([&] { for (int i = 1; i <= 3; i++) queue.push(i); },
      [&] {
        int found = 0;
        for (int i = 0; i < 3; i++)
          if (queue.pop(found)) {
            assert(found > popped);
            popped = found;
          }
      });
}
