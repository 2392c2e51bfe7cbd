// repair: fails=use-after-free
#include <atomic>
#include <thread>
struct Route { int next_hop; };
std::atomic<Route*> route{new Route{1}};
int use() { Route *r = route.load(std::memory_order_acquire); return r->next_hop; }
void update() { Route *n = new Route{2}; Route *o = route.exchange(n, std::memory_order_acq_rel); delete o; }
int main() { std::thread r([]{ use(); }); std::thread w(update); r.join(); w.join(); }
