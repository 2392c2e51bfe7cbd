// repair: changes=4
#include <atomic>
#include <cassert>
#include <thread>

struct Message {
    int body = 0;
    std::atomic<bool> written{false}, approved{false};
};

static Message message;

static void approve(Message &m) {
    if (m.written.load(std::memory_order_relaxed))
        m.approved.store(true, std::memory_order_relaxed);
}

static void deliver(Message &m) {
    if (m.approved.load(std::memory_order_relaxed))
        assert(m.body == 42);
}

int main() {
    std::thread author([] { message.body = 42; message.written.store(true, std::memory_order_relaxed); });
    std::thread editor([] { approve(message); });
    std::thread carrier([] { deliver(message); });
    author.join();
    editor.join();
    carrier.join();
}
