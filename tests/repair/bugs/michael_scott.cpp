// repair: changes=1
#include <atomic>
#include <thread>
#include <cassert>
template <class T> class MSQueue {
    struct Node { T data{}; std::atomic<Node *> next{nullptr}; };
    std::atomic<Node *> head_, tail_;
public:
    MSQueue() { auto *n = new Node; head_ = n; tail_ = n; }
    void enqueue(T v) {
        Node *n = new Node;
        n->data = v;
        for (;;) {
            Node *t = tail_.load(std::memory_order_acquire);
            Node *next = t->next.load(std::memory_order_acquire);
            if (next) { tail_.compare_exchange_strong(t, next, std::memory_order_release); continue; }
            if (t->next.compare_exchange_strong(next, n, std::memory_order_relaxed)) {
                tail_.compare_exchange_strong(t, n, std::memory_order_relaxed);
                return;
            }
        }
    }
    bool dequeue(T &out) {
        for (;;) {
            Node *h = head_.load(std::memory_order_acquire);
            Node *next = h->next.load(std::memory_order_acquire);
            if (!next) return false;
            out = next->data;
            if (head_.compare_exchange_strong(h, next, std::memory_order_release)) return true;
        }
    }
};
MSQueue<int> q;
int main() {
    std::thread p([] { q.enqueue(5); });
    std::thread c([] { int v = 0; if (q.dequeue(v)) assert(v == 5); });
    p.join();
    c.join();
}
