// repair: changes=2
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Settings { int size = 0; };
static std::atomic<Settings *> instance{nullptr};
static std::mutex guard;
static Settings storage;

static Settings *get() {
    Settings *s = instance.load(std::memory_order_relaxed);
    if (s == nullptr) {
        std::lock_guard<std::mutex> hold(guard);
        s = instance.load(std::memory_order_relaxed);
        if (s == nullptr) {
            storage.size = 10;
            s = &storage;
            instance.store(s, std::memory_order_relaxed);
        }
    }
    return s;
}

int main() {
    std::thread a([] { assert(get()->size == 10); });
    std::thread b([] { assert(get()->size == 10); });
    a.join();
    b.join();
}
