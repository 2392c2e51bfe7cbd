#include <lockfree.hpp>

#include "../threads.hpp"

int main() {
  lockfree::spsc::BipartiteBuf<int, 4> buffer;
  run([&] {
        for (int round = 0; round < 2; round++)
          if (int* room = buffer.WriteAcquire(2)) {
            room[0] = 1;
            room[1] = 2;
            buffer.WriteRelease(2);
          }
      },
      [&] {
        auto found = buffer.ReadAcquire();
        if (found.second >= 2) {
          assert(found.first[0] == 1 && found.first[1] == 2);
          buffer.ReadRelease(2);
        }
      });
}
