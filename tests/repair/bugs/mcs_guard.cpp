// repair: changes=1
#include <atomic>
#include <thread>
struct QNode { std::atomic<QNode*> next{nullptr}; std::atomic<bool> locked{false}; };
class MCSLock {
    std::atomic<QNode*> tail{nullptr};
public:
    void lock(QNode& me) {
        me.next.store(nullptr, std::memory_order_relaxed);
        me.locked.store(true, std::memory_order_relaxed);
        QNode* prev = tail.exchange(&me, std::memory_order_acq_rel);
        if (prev) {
            prev->next.store(&me, std::memory_order_release);
            while (me.locked.load(std::memory_order_relaxed)) { }
        }
    }
    void unlock(QNode& me) {
        QNode* succ = me.next.load(std::memory_order_acquire);
        if (!succ) {
            QNode* expected = &me;
            if (tail.compare_exchange_strong(expected, nullptr, std::memory_order_release, std::memory_order_relaxed)) return;
            while (!(succ = me.next.load(std::memory_order_acquire))) { }
        }
        succ->locked.store(false, std::memory_order_release);
    }
};
MCSLock mtx;
long total = 0;
void add(long v) { QNode n; mtx.lock(n); total += v; mtx.unlock(n); }
int main() {
    std::thread a([]{ add(1); add(2); }), b([]{ add(10); });
    a.join(); b.join();
    return total == 13 ? 0 : 1;
}
