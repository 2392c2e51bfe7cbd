// How often a consumer looks before it sleeps is a trait of the queue, 10000 by default: each look is a choice.
#include <blockingconcurrentqueue.h>

#include "../threads.hpp"

struct Traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const int MAX_SEMA_SPINS = 2;
};

int main() {
  moodycamel::BlockingConcurrentQueue<int, Traits> queue(2, 1, 0);
  int found = 0;
  run([&] { moodycamel::ProducerToken token(queue); queue.enqueue(token, 7); }, [&] { queue.wait_dequeue(found); });
  assert(found == 7);
}
