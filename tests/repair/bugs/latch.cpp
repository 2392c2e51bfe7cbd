// repair: fails=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>
#include <atomic>
class Latch {
    std::mutex mtx; std::condition_variable cond; std::atomic<int> count;
public:
    explicit Latch(int n) : count(n) {}
    void count_down() { if (--count == 0) cond.notify_all(); }
    void wait() { std::unique_lock<std::mutex> lk(mtx); cond.wait(lk, [this] { return count == 0; }); }
};
Latch latch(2);
int main() {
    std::thread a([] { latch.count_down(); }), b([] { latch.count_down(); });
    latch.wait();
    a.join(); b.join();
}
