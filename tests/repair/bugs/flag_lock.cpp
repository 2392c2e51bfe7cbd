// repair: changes=2
#include <atomic>
#include <cassert>
#include <thread>

class Lock {
    std::atomic_flag taken = ATOMIC_FLAG_INIT;

public:
    void lock() {
        while (taken.test_and_set(std::memory_order_relaxed)) {
        }
    }
    void unlock() { taken.clear(std::memory_order_relaxed); }
};
Lock mutex;
int counter;

void worker() {
    for (int i = 0; i < 2; i++) {
        mutex.lock();
        counter++;
        mutex.unlock();
    }
}

int main() {
    std::thread t0(worker); std::thread t1(worker);
    t0.join(); t1.join();
    assert(counter == 4);
}
