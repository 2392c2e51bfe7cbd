// repair: changes=1
#include <atomic>
#include <thread>
#include <cassert>
#include <memory>
// unbounded SPSC list queue, template, class member new
template <class T> class Queue {
    struct Node { T value{}; Node* next = nullptr; };
    Node* first; std::atomic<Node*> last;
    std::atomic<Node*> divider;
public:
    Queue() { first = new Node; last = first; divider = first; }
    ~Queue() { while (first) { Node* t = first; first = t->next; delete t; } }
    void produce(const T& t) {
        Node* n = new Node; n->value = t;
        last.load(std::memory_order_relaxed)->next = n;
        last.store(n, std::memory_order_relaxed);
    }
    bool consume(T& r) {
        Node* d = divider.load(std::memory_order_relaxed);
        if (d != last.load(std::memory_order_acquire)) {
            r = d->next->value; divider.store(d->next, std::memory_order_release); return true;
        }
        return false;
    }
};
Queue<int> q;
int main() { std::thread a([]{ q.produce(5); }), b([]{ int v; if (q.consume(v)) assert(v == 5); }); a.join(); b.join(); }
