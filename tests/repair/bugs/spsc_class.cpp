// repair: changes=3
#include <atomic>
#include <cassert>
#include <thread>
template <typename T, unsigned N> class Spsc {
    T items[N];
    std::atomic<unsigned> in{0}, out{0};
  public:
    bool put(const T &x) {
        auto i = in.load(std::memory_order_relaxed);
        if (i - out.load(std::memory_order_relaxed) == N) return false;
        items[i % N] = x;
        in.store(i + 1, std::memory_order_relaxed);
        return true;
    }
    bool get(T &x) {
        auto o = out.load(std::memory_order_relaxed);
        if (in.load(std::memory_order_acquire) == o) return false;
        x = items[o % N];
        out.store(o + 1, std::memory_order_relaxed);
        return true;
    }
};
static Spsc<int, 1> q;
int main() {
    std::thread p([] { q.put(1); q.put(2); });
    std::thread c([] { int v; if (q.get(v)) assert(v == 1); if (q.get(v)) assert(v >= 1); });
    p.join(); c.join();
}
