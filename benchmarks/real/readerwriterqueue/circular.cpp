#include <readerwritercircularbuffer.h>

#include "../threads.hpp"

int main() {
  moodycamel::BlockingReaderWriterCircularBuffer<int> queue(1);
  run([&] { for (int i = 1; i <= 2; i++) queue.wait_enqueue(i); },
      [&] {
        int found;
        for (int i = 1; i <= 2; i++) {
          queue.wait_dequeue(found);
          assert(found == i);
        }
      });
}
