// Rounds of loops that add something and take it back, and who could see what was there in between. A round that ends
// where it began is left out (see Machine::spins); where a model lets others read old values, a thread that learns that
// the loop is over may still read what a round had put there, and there is no graph in which that shows. So what such
// rounds put there and who looks at such places is written down, and held against each other in the end.
//
// Likewise rounds that store what their thread had found there (a copy of an index that it keeps for itself): they are
// left out, if no other thread ever uses the place. What the first thread does while no other runs does not count.
//
// And what rounds read: where happens-before is less than what was before, another thread may learn that the loop is
// over and free the place, or write there, plainly or where the read was plain, unordered with what a round read.
#pragma once

#include "vm/left_out.hpp"
#include "vm/liveness.hpp"
#include "vm/local_states.hpp"

#include <set>
#include <unordered_map>

namespace fencepost {

class UndoneRounds {
public:
  // `old_values`: others may read what was there before. `ordered`: what is unordered with others is told by
  // `note_late`. `races`: a data race is an error.
  UndoneRounds(const Bytecode& program, bool old_values, bool ordered, bool races)
      : program_(program), liveness_(program, Liveness::Observed::Live), old_values_(old_values), ordered_(ordered),
        races_(races) {}

  bool ordered() const { return ordered_; }

  // Notes what a state of a thread is about to do, or has just left out.
  void note(const LocalState& state, const Machine& machine);

  // Notes that what a state is about to do follows more of what another thread did than happens before it.
  void note_late(const LocalState& state, std::uint32_t other);

  std::set<Between> between;

  // What others do, as far as it is known now.
  std::set<Look> looks() const;

private:
  void note_values(const LocalState& blocked);
  void note_look(const LocalState& state, const Machine& machine);
  void note_memory(const LocalState& state);
  void note_use(const LocalState& state);
  void note_reads(const LocalState& blocked);
  bool forgets(const LocalState& wait) const;

  const Bytecode& program_;
  Liveness liveness_;
  bool old_values_, ordered_, races_;
  bool others_start_ = false;    // threads that are not the first one
  std::set<Look> looks_, alone_; // alone: uses by the first thread while it seems to be the only one
  std::unordered_map<std::uint64_t, std::uint64_t> sizes_; // of memory on the heap, the largest that began there
};

} // namespace fencepost
