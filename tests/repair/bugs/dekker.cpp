// repair: 
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> a{0}, b{0};
int r, s;

void left() {
    a.store(1, std::memory_order_relaxed);
    r = b.load(std::memory_order_relaxed);
}

void right() {
    b.store(1, std::memory_order_relaxed);
    s = a.load(std::memory_order_relaxed);
}

int main() {
    std::thread t0(left); std::thread t1(right);
    t0.join(); t1.join();
    assert(r == 1 || s == 1);
}
