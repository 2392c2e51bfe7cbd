#include <readerwriterqueue.h>

#include "../threads.hpp"

int main() {
  moodycamel::ReaderWriterQueue<int, 4> queue(2);
  run([&] { for (int i = 1; i <= 2; i++) queue.enqueue(i); },
      [&] {
        int last = 0, found;
        for (int i = 1; i <= 2; i++)
          if (queue.try_dequeue(found)) {
            assert(found == last + 1);
            last = found;
          }
      });
}
