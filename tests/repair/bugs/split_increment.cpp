// repair: fails=assertion
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> hits{0};

int main() {
    auto hit = [] { hits.store(hits.load() + 1); };
    std::thread a(hit), b(hit);
    a.join();
    b.join();
    assert(hits.load() == 2);
}
