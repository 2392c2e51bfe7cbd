#include <xenium/seqlock.hpp>

#include "../threads.hpp"

struct Pair { long first, second; };

int main() {
  xenium::seqlock<Pair> lock(Pair{0, 0});
  run([&] { lock.store(Pair{1, 1}); }, [&] { Pair found = lock.load(); assert(found.first == found.second); });
}
