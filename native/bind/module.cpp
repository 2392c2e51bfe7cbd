#include "bind/bind.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of fencepost.";
  bind_program(m);
  bind_results(m);
  bind_explore(m);
  bind_states(m);
  bind_candidates(m);
}
