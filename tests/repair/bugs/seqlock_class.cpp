// repair: changes=2
#include <atomic>
#include <thread>
#include <cassert>
struct SeqLock {
    std::atomic<unsigned> seq{0};
    std::atomic<int> x{0}, y{0};
    void write(int v) {
        unsigned s = seq.load(std::memory_order_relaxed);
        seq.store(s + 1, std::memory_order_relaxed);
        x.store(v, std::memory_order_relaxed);
        y.store(v, std::memory_order_relaxed);
        seq.store(s + 2, std::memory_order_release);
    }
    bool read(int &a, int &b) {
        unsigned s = seq.load(std::memory_order_acquire);
        if (s & 1) return false;
        a = x.load(std::memory_order_relaxed);
        b = y.load(std::memory_order_relaxed);
        return seq.load(std::memory_order_relaxed) == s;
    }
};
SeqLock sl;
int main() {
    std::thread w([] { sl.write(1); });
    std::thread r([] {
        int a, b;
        if (sl.read(a, b)) assert(a == b);
    });
    w.join();
    r.join();
}
