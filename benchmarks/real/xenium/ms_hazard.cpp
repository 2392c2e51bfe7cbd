#include <xenium/michael_scott_queue.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>

#include "../threads.hpp"

using Reclaimer = xenium::reclamation::hazard_pointer<>::with<
    xenium::policy::allocation_strategy<xenium::reclamation::hp_allocation::static_strategy<3>>>;

int main() {
  xenium::michael_scott_queue<int, xenium::policy::reclaimer<Reclaimer>> queue;
  int found = 0;
  run([&] { queue.push(7); }, [&] { if (!queue.try_pop(found)) found = 0; });
  assert(found == 0 || found == 7);
}
