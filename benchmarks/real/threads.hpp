// Threads that run at the same time, and a count of what was taken: nothing is lost, nothing comes twice.
#pragma once
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

template <class... Bodies>
void run(Bodies... bodies) {
  std::thread threads[] = {std::thread(bodies)...};
  for (auto& t : threads) t.join();
}
