#include <rigtorp/SPSCQueue.h>

#include "../threads.hpp"

int main() {
  rigtorp::SPSCQueue<int> queue(2);
  run([&] { for (int i = 1; i <= 4; i++) queue.push(i); },
      [&] {
        for (int i = 1; i <= 4; i++) {
          while (!queue.front()) {}
          assert(*queue.front() == i);
          queue.pop();
        }
      });
}
