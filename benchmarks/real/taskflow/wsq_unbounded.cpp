#include <optional>
#include <vector>
#include <taskflow/core/wsq.hpp>

#include "../threads.hpp"

int main() {
  static tf::UnboundedWSQ<int*> queue(1);
  static int work[3];
  auto done = [](int* w) { if (w) { assert(*w == 7); *w = 1; } };
  run([&] { for (int& w : work) { w = 7; queue.push(&w); } done(queue.pop()); done(queue.pop()); },
      [&] { done(queue.steal()); done(queue.steal()); });
}
