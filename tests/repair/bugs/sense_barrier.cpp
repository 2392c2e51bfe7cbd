// repair: changes=3
#include <atomic>
#include <cassert>
#include <thread>

class Barrier {
    std::atomic<int> waiting{2};
    std::atomic<bool> sense{false};

public:
    void wait(bool mine) {
        if (waiting.fetch_sub(1, std::memory_order_relaxed) == 1) {
            waiting.store(2, std::memory_order_relaxed);
            sense.store(mine, std::memory_order_relaxed);
        } else {
            while (sense.load(std::memory_order_relaxed) != mine) {}
        }
    }
};

static Barrier barrier;
static int cells[2];

static void work(int me) {
    cells[me] = 1;
    barrier.wait(true);
    assert(cells[1 - me] == 1);
    barrier.wait(false);
    cells[1 - me] = 2;
}

int main() {
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
}
