// repair: changes=1
#include <atomic>
#include <thread>
template <class T> class Ptr { struct Box { T v; std::atomic<int> n{1}; }; Box *b;
public: explicit Ptr(T v) : b(new Box{v}) {} Ptr(const Ptr &o) : b(o.b) { b->n.fetch_add(1, std::memory_order_relaxed); }
  ~Ptr() { if (b->n.fetch_sub(1, std::memory_order_release) == 1) delete b; } T &operator*() { return b->v; } };
int main() { Ptr<int> p(1); std::thread t([q = p]() mutable { *q = 2; }); t.join(); std::thread u([q = p]() mutable { *q = 3; }); u.join();
  Ptr<int> *h = new Ptr<int>(5); std::thread a([q = *h]() mutable { *q = 6; }); delete h; a.join(); }
