#include <xenium/chase_work_stealing_deque.hpp>

#include "../threads.hpp"

int main() {
  static xenium::chase_work_stealing_deque<int, xenium::policy::capacity<2>> queue;
  static int work[2];
  auto done = [](int* w) { assert(*w == 0); *w = 1; };
  run([&] { queue.try_push(&work[0]); queue.try_push(&work[1]); int* w; for (int i = 0; i < 2; i++) if (queue.try_pop(w)) done(w); },
      [&] { int* w; if (queue.try_steal(w)) done(w); });
}
