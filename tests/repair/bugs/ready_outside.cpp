// repair: fails=deadlock
#include <condition_variable>
#include <mutex>
#include <thread>
#include <atomic>
std::mutex m;
std::condition_variable cv;
std::atomic<bool> ready{false};
void consumer() {
    std::unique_lock<std::mutex> lk(m);
    while (!ready)
        cv.wait(lk);
}
void producer() {
    ready = true;       // not under the mutex
    cv.notify_one();
}
int main() {
    std::thread c(consumer), p(producer);
    c.join();
    p.join();
}
