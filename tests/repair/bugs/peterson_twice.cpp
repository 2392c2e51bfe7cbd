// repair: changes=1
#include <atomic>
#include <thread>
#include <cassert>

class PetersonLock {
    std::atomic<bool> interested_[2]{};
    std::atomic<int> turn_{0};
public:
    void lock(int me) {
        interested_[me].store(true, std::memory_order_relaxed);
        turn_.exchange(1 - me, std::memory_order_acq_rel);
        while (interested_[1 - me].load(std::memory_order_relaxed) &&
               turn_.load(std::memory_order_relaxed) == 1 - me) {
        }
    }
    void unlock(int me) { interested_[me].store(false, std::memory_order_release); }
};

PetersonLock mutex;
long balance = 0;

void deposit(int me) {
    for (int i = 0; i < 2; ++i) {
        mutex.lock(me);
        balance += 10;
        mutex.unlock(me);
    }
}

int main() {
    std::thread a(deposit, 0), b(deposit, 1);
    a.join();
    b.join();
    assert(balance == 40);
}
