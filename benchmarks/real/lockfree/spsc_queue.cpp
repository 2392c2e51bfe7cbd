#include <lockfree.hpp>

#include "../threads.hpp"

int main() {
  lockfree::spsc::Queue<int, 3> queue;
  int popped = 0;
  run([&] { for (int i = 1; i <= 3; i++) queue.Push(i); },
      [&] {
        int found = 0;
        for (int i = 0; i < 3; i++)
          if (queue.Pop(found)) {
            assert(found > popped);
            popped = found;
          }
      });
}
