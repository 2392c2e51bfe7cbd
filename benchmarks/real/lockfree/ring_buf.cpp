#include <lockfree.hpp>

#include "../threads.hpp"

int main() {
  lockfree::spsc::RingBuf<int, 4> ring;
  const int values[2] = {1, 2};
  run([&] { ring.Write(values, 2); ring.Write(values, 2); },
      [&] {
        int found[2] = {};
        for (int i = 0; i < 2; i++)
          if (ring.Read(found, 2)) assert(found[0] == 1 && found[1] == 2);
      });
}
