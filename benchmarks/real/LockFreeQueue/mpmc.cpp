#include <new>

#include <LockFreeQueueCpp11.h>

#include "../threads.hpp"

int main() {
  LockFreeQueueCpp11<int> queue(2);
  int found[3] = {0, 0, 0}, put[3] = {0, 0, 0};
  auto give = [&](int value) { return [&queue, &put, value] { put[value] = queue.push(value); }; };
  run(give(1), give(2), [&] { queue.pop(found[0]); });
  for (int k = 1; k < 3; k++) queue.pop(found[k]);
  for (int value = 1; value < 3; value++) {
    int times = 0;
    for (int k = 0; k < 3; k++) times += found[k] == value;
    assert(times == put[value]);
  }
}
