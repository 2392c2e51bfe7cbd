#include <blockingconcurrentqueue.h>

#include "../threads.hpp"

int main() {
  moodycamel::BlockingConcurrentQueue<int> queue(2, 1, 0);
  int found = 0;
  run([&] { moodycamel::ProducerToken token(queue); queue.enqueue(token, 7); }, [&] { queue.wait_dequeue(found); });
  assert(found == 7);
}
