// repair: changes=2
#include <atomic>
#include <cassert>
#include <thread>

struct Thing { int value = 0; };
Thing storage;
std::atomic<Thing *> instance{nullptr};
std::atomic<bool> making{false};

Thing *get() {
    Thing *p = instance.load(std::memory_order_relaxed);
    if (p == nullptr && !making.exchange(true, std::memory_order_relaxed)) {
        storage.value = 7;
        instance.store(&storage, std::memory_order_relaxed);
    }
    return instance.load(std::memory_order_relaxed);
}

void user() {
    if (Thing *p = get()) assert(p->value == 7);
}

int main() {
    std::thread t0(user); std::thread t1(user);
    t0.join(); t1.join();
    
}
