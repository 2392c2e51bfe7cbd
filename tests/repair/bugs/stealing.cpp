// repair: changes=2
#include <atomic>
#include <cassert>
#include <thread>

/* Chase and Lev: the owner pushes and takes at the bottom, a thief steals the oldest. */
class Deque {
    std::atomic<int> top{0}, bottom{0};
    std::atomic<int> slots[4] = {};

public:
    void push(int item) {
        int b = bottom.load(std::memory_order_relaxed);
        slots[b & 3].store(item, std::memory_order_relaxed);
        bottom.store(b + 1, std::memory_order_relaxed);
    }
    int steal() {
        int t = top.load(std::memory_order_relaxed);
        int b = bottom.load(std::memory_order_relaxed);
        if (t >= b) return -1;
        int item = slots[t & 3].load(std::memory_order_relaxed);
        return top.compare_exchange_strong(t, t + 1, std::memory_order_relaxed) ? item : -1;
    }
};

static Deque deque;
static int payload[2];

int main() {
    std::thread thief([] {
        int item = deque.steal();
        if (item >= 0) {
            assert(item > 0);
            assert(payload[item] == item);
        }
    });
    payload[1] = 1;
    deque.push(1);
    thief.join();
}
