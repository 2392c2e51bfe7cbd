#include <cerrno>
#include "common/benaphore.h"

#include "../threads.hpp"

int main() {
  NonRecursiveBenaphore lock;
  int shared = 0;
  auto work = [&] { lock.lock(); shared++; lock.unlock(); };
  run(work, work);
  assert(shared == 2);
}
