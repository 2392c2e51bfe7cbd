// repair: changes=4
#include <atomic>
#include <thread>
struct Thing { int x = 1; };
std::atomic<Thing *> shared{nullptr};
std::atomic<Thing *> hazard{nullptr};
int use() {
    for (;;) {
        Thing *p = shared.load(std::memory_order_acquire);
        hazard.store(p, std::memory_order_release);
        if (p != shared.load(std::memory_order_acquire)) continue;
        int r = p ? p->x : 0;
        hazard.store(nullptr, std::memory_order_release);
        return r;
    }
}
void retire() {
    Thing *old = shared.exchange(nullptr, std::memory_order_acq_rel);
    while (hazard.load(std::memory_order_acquire) == old) {}
    delete old;
}
int main() {
    shared = new Thing;
    std::thread a(use), b(retire);
    a.join();
    b.join();
}
