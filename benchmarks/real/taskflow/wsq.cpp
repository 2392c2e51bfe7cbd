#include <optional>
#include <vector>
#include <taskflow/core/wsq.hpp>

#include "../threads.hpp"

int main() {
  static tf::BoundedWSQ<int*, 1> queue;
  static int work[2];
  auto done = [](int* w) { if (w) { assert(*w == 7); *w = 1; } };
  run([&] { for (int& w : work) { w = 7; queue.try_push(&w); } done(queue.pop()); done(queue.pop()); },
      [&] { done(queue.steal()); done(queue.steal()); });
}
