#include <xenium/left_right.hpp>

#include "../threads.hpp"

struct Pair { int first, second; };

int main() {
  xenium::left_right<Pair> lock(Pair{0, 0});
  run([&] { lock.update([](Pair& p) { p.first++; p.second++; }); },
      [&] { lock.read([](const Pair& p) { assert(p.first == p.second); return 0; }); });
}
