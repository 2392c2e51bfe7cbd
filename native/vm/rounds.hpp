// Runs of a thread that lead nowhere: rounds of a loop after which it stands where it stood, and ways round that a
// shorter one could have saved. Why they can be left out is in docs/how/waiting.md.
#pragma once

#include "vm/liveness.hpp"
#include "vm/local_states.hpp"

namespace fencepost {

class Rounds {
public:
  explicit Rounds(Machine& machine) : machine_(machine), liveness_(machine.program(), Liveness::Observed::Live) {}

  // Lets the thread block where its run up to here leads nowhere. pre: `now` has its parent and its action.
  void judge(LocalState& now);

private:
  bool same(const ThreadState& a, const ThreadState& b) const;
  bool is_shortcut(const LocalState& from, const LocalState& last, const LocalState& now);
  std::uint32_t loop_of(const LocalState& now) const;

  Machine& machine_;
  Liveness liveness_;
};

} // namespace fencepost
