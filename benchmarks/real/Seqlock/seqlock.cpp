#include <rigtorp/Seqlock.h>

#include "../threads.hpp"

struct Data {
  int a, b;
};

int main() {
  rigtorp::Seqlock<Data> data;
  data.store({0, 0});
  run([&] { data.store({1, 1}); }, [&] { Data found = data.load(); assert(found.a == found.b); });
}
