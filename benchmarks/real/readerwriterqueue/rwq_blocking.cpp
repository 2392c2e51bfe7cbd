#include <readerwriterqueue.h>

#include "../threads.hpp"

int main() {
  moodycamel::BlockingReaderWriterQueue<int, 4> queue(2);
  run([&] { for (int i = 1; i <= 2; i++) queue.enqueue(i); },
      [&] {
        int found;
        for (int i = 1; i <= 2; i++) {
          queue.wait_dequeue(found);
          assert(found == i);
        }
      });
}
