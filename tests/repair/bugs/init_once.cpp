// repair: changes=2
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> state{0};
static int table[2];

static void initialise() {
    int fresh = 0;
    if (state.compare_exchange_strong(fresh, 1, std::memory_order_relaxed)) {
        table[0] = 1;
        table[1] = 2;
        state.store(2, std::memory_order_relaxed);
    } else {
        while (state.load(std::memory_order_relaxed) != 2) {}
    }
}

int main() {
    std::thread a([] { initialise(); assert(table[1] == 2); });
    std::thread b([] { initialise(); assert(table[1] == 2); });
    a.join();
    b.join();
}
