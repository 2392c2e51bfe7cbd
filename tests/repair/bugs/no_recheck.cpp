// repair: fails=assertion
#include <atomic>
#include <cassert>
#include <thread>

/* A sequence lock whose reader looks at the version once only. */
static std::atomic<unsigned> version{0};
static std::atomic<int> low{0}, high{0};

int main() {
    std::thread writer([] {
        version.store(1);
        low.store(1);
        high.store(1);
        version.store(2);
    });
    std::thread reader([] {
        if (version.load() % 2 == 0) {
            int a = low.load(), b = high.load();
            assert(a == b);
        }
    });
    writer.join();
    reader.join();
}
