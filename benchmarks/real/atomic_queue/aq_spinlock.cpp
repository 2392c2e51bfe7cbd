#include <atomic_queue/spinlock.h>

#include "../threads.hpp"

int main() {
  static atomic_queue::TicketSpinlock lock;
  int counter = 0;
  auto worker = [&] { auto token = lock.lock(); counter++; lock.unlock(token); };
  run(worker, worker, worker);
  assert(counter == 3);
}
