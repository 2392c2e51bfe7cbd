#include <optional>
#include <vector>
#include <taskflow/core/wsq.hpp>

#include "../threads.hpp"

int main() {
  static tf::BoundedWSQ<int*, 1> queue;
  static int work[2];
  auto done = [](int* w) { if (w) { assert(*w == 0); *w = 1; } };
  run([&] { queue.try_push(&work[0]); queue.try_push(&work[1]); done(queue.pop()); },
      [&] { done(queue.steal()); });
}
