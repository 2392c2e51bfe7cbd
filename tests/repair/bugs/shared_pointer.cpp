// repair: changes=1
#include <atomic>
#include <cassert>
#include <thread>

struct Box {
    std::atomic<int> owners{2};
    int value = 0;
};

static void release(Box *box) {
    if (box->owners.fetch_sub(1, std::memory_order_relaxed) == 1) {
        assert(box->value == 1);
        delete box;
    }
}

int main() {
    Box *box = new Box;
    std::thread writer([box] { box->value = 1; release(box); });
    std::thread other([box] { release(box); });
    writer.join();
    other.join();
}
