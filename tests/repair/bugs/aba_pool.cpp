// repair: fails=assertion
#include <atomic>
#include <thread>
#include <cassert>
struct Node { int value; std::atomic<int> next; };
Node pool[4];
std::atomic<int> head{-1};
void push(int i) {
    int h = head.load();
    do pool[i].next.store(h); while (!head.compare_exchange_weak(h, i));
}
int pop() {
    int h = head.load();
    while (h != -1) {
        int n = pool[h].next.load();
        if (head.compare_exchange_strong(h, n)) return h;
    }
    return -1;
}
std::atomic<int> taken[4];
void take(int i) { if (i >= 0) assert(taken[i].exchange(1) == 0); }
void give(int i) { taken[i] = 0; push(i); }
void t1() { take(pop()); }
void t2() {
    int a = pop(); take(a);
    int b = pop(); take(b);
    if (a >= 0) give(a);
}
int main() {
    push(0); push(1); push(2);
    std::thread a(t1), b(t2);
    a.join(); b.join();
    take(pop());
}
