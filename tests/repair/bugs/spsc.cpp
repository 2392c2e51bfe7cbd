// repair: changes=4
#include <atomic>
#include <cassert>
#include <thread>

template <typename T, unsigned N> class Ring {
    T cells[N] = {};
    std::atomic<unsigned> head{0}, tail{0};

public:
    bool push(T value) {
        unsigned t = tail.load(std::memory_order_relaxed);
        if (t - head.load(std::memory_order_relaxed) == N) return false;
        cells[t % N] = value;
        tail.store(t + 1, std::memory_order_relaxed);
        return true;
    }
    bool pop(T &value) {
        unsigned h = head.load(std::memory_order_relaxed);
        if (h == tail.load(std::memory_order_relaxed)) return false;
        value = cells[h % N];
        head.store(h + 1, std::memory_order_relaxed);
        return true;
    }
};

static Ring<int, 1> ring;

int main() {
    std::thread producer([] {
        ring.push(1);
        ring.push(2);
    });
    std::thread consumer([] {
        int value = 0;
        if (ring.pop(value)) assert(value == 1);
        if (ring.pop(value)) assert(value != 0);
    });
    producer.join();
    consumer.join();
}
