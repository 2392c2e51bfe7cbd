// repair: 
#include <atomic>
#include <cassert>
#include <thread>

struct Node { int value; Node *next; };
std::atomic<Node *> top{nullptr};
Node node;

void push() {
    node.value = 3;
    node.next = top.load(std::memory_order_relaxed);
    while (!top.compare_exchange_strong(node.next, &node, std::memory_order_relaxed)) {
    }
}

void pop() {
    Node *old = top.load(std::memory_order_relaxed);
    if (old && top.compare_exchange_strong(old, old->next, std::memory_order_relaxed)) assert(old->value == 3);
}

int main() {
    std::thread t0(push); std::thread t1(pop);
    t0.join(); t1.join();
    
}
