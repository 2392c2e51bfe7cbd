// repair: changes=1
// Intrusive reference count: drop() without acquire on the last one
#include <atomic>
#include <cassert>
#include <thread>
struct Node { std::atomic<int> refs{2}; int payload = 7; };
static void drop(Node *n) {
    if (n->refs.fetch_sub(1, std::memory_order_relaxed) == 1)
        delete n;
}
int main() {
    Node *n = new Node;
    std::thread a([n] { n->payload++; drop(n); });
    std::thread b([n] { drop(n); });
    a.join(); b.join();
}
