// repair: fails=use-after-free
#include <atomic>
#include <cstdint>
#include <thread>
#include <cassert>
struct Node { int key; std::atomic<uintptr_t> next{0}; Node(int k) : key(k) {} };
std::atomic<uintptr_t> head;
Node *clean(uintptr_t p) { return (Node *)(p & ~uintptr_t(1)); }
void remove_first() {
    uintptr_t h = head.load(std::memory_order_acquire);
    Node *n = clean(h);
    uintptr_t next = n->next.load(std::memory_order_acquire);
    if (n->next.compare_exchange_strong(next, next | 1, std::memory_order_acq_rel)) {
        if (head.compare_exchange_strong(h, next, std::memory_order_acq_rel))
            delete n;
    }
}
void traverse() {
    for (Node *n = clean(head.load(std::memory_order_acquire)); n; n = clean(n->next.load(std::memory_order_acquire)))
        if (n->key == 99) return;
}
int main() {
    Node *b = new Node(2), *a = new Node(1);
    a->next = (uintptr_t)b;
    head = (uintptr_t)a;
    std::thread t(remove_first), u(traverse);
    t.join();
    u.join();
}
