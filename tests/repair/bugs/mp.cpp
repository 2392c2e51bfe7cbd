// repair: changes=2
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> ready{false};
int data;

void writer() {
    data = 42;
    ready.store(true, std::memory_order_relaxed);
}

void reader() {
    while (!ready.load(std::memory_order_relaxed)) {
    }
    assert(data == 42);
}

int main() {
    std::thread t0(writer); std::thread t1(reader);
    t0.join(); t1.join();
    
}
