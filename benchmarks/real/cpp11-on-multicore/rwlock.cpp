#include <cerrno>
#include "common/rwlock.h"

#include "../threads.hpp"

int main() {
  NonRecursiveRWLock lock;
  int shared = 0;
  auto write = [&] { lock.lockWriter(); shared++; lock.unlockWriter(); };
  auto read = [&] { lock.lockReader(); int found = shared; assert(found <= 2); lock.unlockReader(); };
  run(write, read, write);
  assert(shared == 2);
}
