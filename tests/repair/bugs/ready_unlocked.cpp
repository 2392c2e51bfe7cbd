// repair: fails=race
#include <condition_variable>
#include <mutex>
#include <thread>
#include <queue>
std::mutex m;
std::condition_variable cv;
bool ready = false;
int item;
void producer() {
    item = 42;
    ready = true;         // not under the mutex
    cv.notify_one();
}
void consumer() {
    std::unique_lock<std::mutex> l(m);
    while (!ready) cv.wait(l);
    if (item != 42) __builtin_trap();
}
int main() { std::thread a(producer), b(consumer); a.join(); b.join(); }
