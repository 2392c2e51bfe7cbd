#include <cerrno>
#include "common/autoresetevent.h"

#include "../threads.hpp"

int main() {
  AutoResetEvent event;
  int shared = 0;
  run([&] { shared = 1; event.signal(); }, [&] { event.wait(); assert(shared == 1); });
}
