// repair: fails=assertion
#include <atomic>
#include <thread>
#include <cassert>
#include <array>
template <typename T, size_t N> class SpscRing {
    std::array<T, N> buf_{};
    std::atomic<size_t> head_{0}, tail_{0};
public:
    bool push(const T& v) {
        size_t h = head_.load(std::memory_order_relaxed);
        if (h - tail_.load(std::memory_order_acquire) > N) return false; // off by one: should be >= N
        buf_[h % N] = v;
        head_.store(h + 1, std::memory_order_release);
        return true;
    }
    bool pop(T& v) {
        size_t t = tail_.load(std::memory_order_relaxed);
        if (t == head_.load(std::memory_order_acquire)) return false;
        v = buf_[t % N];
        tail_.store(t + 1, std::memory_order_release);
        return true;
    }
};
SpscRing<int, 2> ring;
int main() {
    std::thread p([] { for (int i = 1; i <= 3; i++) ring.push(i); });
    std::thread c([] { int v, last = 0; for (int i = 0; i < 2; i++) if (ring.pop(v)) { assert(v == last + 1); last = v; } });
    p.join(); c.join();
}
