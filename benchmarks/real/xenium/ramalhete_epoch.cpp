#include <xenium/ramalhete_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>

#include "../threads.hpp"

int main() {
  xenium::ramalhete_queue<int*, xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>,
                          xenium::policy::entries_per_node<2>> queue;
  static int value = 7;
  int* found = nullptr;
  run([&] { queue.push(&value); }, [&] { if (!queue.try_pop(found)) found = nullptr; });
  assert(found == nullptr || *found == 7);
}
