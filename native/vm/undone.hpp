// Rounds of loops that add something and take it back, and who could see what was there in between. A round that ends
// where it began is left out (see Machine::spins); where a model lets others read old values, a thread that learns that
// the loop is over may still read what a round had put there, and there is no graph in which that shows. So what such
// rounds put there and who looks at such places is written down, and held against each other in the end.
#pragma once

#include "vm/local_states.hpp"

#include <set>
#include <vector>

namespace fencepost {

class UndoneRounds {
public:
  using Row = std::vector<std::uint64_t>;

  // Notes what a state of a thread is about to do, or has just left out.
  void note(const LocalState& state, const Machine& machine);

  std::set<Row> between; // address, thread, position of the loop, value before and after, value in between
  std::set<Row> looks;   // address, thread; of a wait also what it waits for: operation, bits, mask, operand

  // Whether the one who looks may take a value in between for something else.
  static bool seen(const Row& between, const Row& look);
};

} // namespace fencepost
