#include <readerwriterqueue.h>

#include "../threads.hpp"

int main() {
  moodycamel::ReaderWriterQueue<int, 4> queue(1);
  int pushed = 0;
  run([&] { for (int i = 1; i <= 3; i++) pushed += queue.try_enqueue(pushed + 1); },
      [&] {
        int last = 0, found;
        for (int i = 1; i <= 3; i++)
          if (queue.try_dequeue(found)) {
            assert(found == last + 1);
            last = found;
          }
      });
}
