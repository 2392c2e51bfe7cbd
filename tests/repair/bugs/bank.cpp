// repair: fails=assertion
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> balance{1};
std::atomic<int> paid{0};

void withdraw() {
    if (balance.load() >= 1) {
        balance.fetch_sub(1);
        paid.fetch_add(1);
    }
}

int main() {
    std::thread t0(withdraw); std::thread t1(withdraw);
    t0.join(); t1.join();
    assert(paid.load() <= 1);
}
