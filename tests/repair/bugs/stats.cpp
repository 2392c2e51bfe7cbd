// repair: declares=hits
#include <thread>
#include <cassert>
struct stats { int hits = 0, misses = 0; } s;
int main() {
  std::thread a([] { s.hits++; });
  std::thread b([] { s.hits++; });
  a.join(); b.join(); assert(s.hits == 2);
}
