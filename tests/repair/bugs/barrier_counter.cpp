// repair: fails=liveness
#include <atomic>
#include <thread>
#include <cassert>
class Barrier {
    std::atomic<int> count_{0};
    const int n_;
public:
    explicit Barrier(int n) : n_(n) {}
    void arrive_and_wait() {
        if (count_.fetch_add(1) == n_ - 1) {
            count_.store(0);
        } else {
            while (count_.load() != 0) {}
        }
    }
};
Barrier bar(2);
int phase[2];
void work(int me) {
    for (int p = 1; p <= 2; ++p) {
        phase[me] = p;
        bar.arrive_and_wait();
        assert(phase[1 - me] == p);
        bar.arrive_and_wait();
    }
}
int main() {
    std::thread a(work, 0), b(work, 1);
    a.join(); b.join();
}
