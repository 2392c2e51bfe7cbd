// repair: changes=4
#include <atomic>
#include <thread>
#include <cassert>
class EventCount {
    std::atomic<unsigned> epoch{0};
    std::atomic<unsigned> waiters{0};
public:
    unsigned prepare() {
        waiters.fetch_add(1, std::memory_order_relaxed);
        return epoch.load(std::memory_order_acquire);
    }
    void wait(unsigned key) {
        epoch.wait(key, std::memory_order_acquire);
        waiters.fetch_sub(1, std::memory_order_relaxed);
    }
    void cancel() { waiters.fetch_sub(1, std::memory_order_relaxed); }
    void notify() {
        if (waiters.load(std::memory_order_relaxed) == 0) return;
        epoch.fetch_add(1, std::memory_order_release);
        epoch.notify_all();
    }
};
EventCount ec;
std::atomic<int> item{0};
void push() {
    item.store(1, std::memory_order_release);
    ec.notify();
}
void pop() {
    for (;;) {
        if (item.load(std::memory_order_acquire)) return;
        unsigned key = ec.prepare();
        if (item.load(std::memory_order_acquire)) { ec.cancel(); return; }
        ec.wait(key);
    }
}
int main() {
    std::thread a(push), b(pop);
    a.join();
    b.join();
}
