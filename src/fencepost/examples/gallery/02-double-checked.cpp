// fencepost: model=rc11 expect=race
// fencepost: model=rc11 expect=pass flags=-DFIXED
// Double-checked locking that looks at the pointer without acquire
//
// The lock is taken only if the pointer is still null. Whoever finds it set takes no lock, and so has nothing that
// orders the fields of the object behind the pointer.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifdef FIXED
constexpr auto look = std::memory_order_acquire, publish = std::memory_order_release;
#else
constexpr auto look = std::memory_order_relaxed, publish = std::memory_order_relaxed;
#endif

struct Settings {
    int level;
};

Settings storage;
std::atomic<Settings *> instance;
std::mutex lock;

Settings *get() {
    Settings *found = instance.load(look);
    if (!found) {
        std::lock_guard<std::mutex> guard(lock);
        found = instance.load(std::memory_order_relaxed);
        if (!found) {
            found = &storage;
            found->level = 7;
            instance.store(found, publish);
        }
    }
    return found;
}

int main() {
    std::thread other([] { assert(get()->level == 7); });
    assert(get()->level == 7);
    other.join();
}
