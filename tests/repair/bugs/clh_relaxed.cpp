// repair: changes=1
#include <atomic>
#include <thread>
#include <cassert>
struct Node { std::atomic<int> busy; };
Node nodes[3];
std::atomic<Node*> tail{&nodes[0]};
int value;
void worker(int i) {
    Node* mine = &nodes[i];
    mine->busy.store(1, std::memory_order_relaxed);
    Node* pred = tail.exchange(mine, std::memory_order_relaxed);
    while (pred->busy.load(std::memory_order_acquire)) ;
    value += i;
    mine->busy.store(0, std::memory_order_release);
}
int main() {
    std::thread a(worker, 1), b(worker, 2);
    a.join(); b.join();
    assert(value == 3);
}
