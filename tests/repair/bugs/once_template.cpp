// repair: changes=1
#include <atomic>
#include <thread>
#include <cassert>
struct OnceFlag { std::atomic<int> state{0}; };
template <class F> void call_once(OnceFlag& o, F f) {
    int s = 0;
    if (o.state.load(std::memory_order_relaxed) == 2) return;
    if (o.state.compare_exchange_strong(s, 1, std::memory_order_acquire)) { f(); o.state.store(2, std::memory_order_release); }
    else while (o.state.load(std::memory_order_acquire) != 2) { }
}
OnceFlag once; int table[2];
void use() { call_once(once, [] { table[0] = 1; table[1] = 2; }); assert(table[1] == 2); }
int main() { std::thread a(use), b(use); a.join(); b.join(); }
