// Runs of a thread that lead nowhere: rounds of a loop after which it stands where it stood, and ways round that a
// shorter one could have saved. Why they can be left out is in docs/how/waiting.md.
#pragma once

#include "vm/liveness.hpp"
#include "vm/local_states.hpp"

namespace fencepost {

inline constexpr int longest_run = 64; // events of a run that is looked at

// Whether nobody else can tell that this event of a run was there, and it cannot be an error. A read-modify-write that
// writes what it read is two such events.
bool is_quiet(const LocalState& event);

// Whether it is the write of a read-modify-write that adds or subtracts.
bool adds(const LocalState& event, const Bytecode& program);

class Rounds {
public:
  // `with_updates`: an update may end a shortcut as well.
  Rounds(Machine& machine, bool with_updates)
      : machine_(machine), liveness_(machine.program(), Liveness::Observed::Live), with_updates_(with_updates) {}

  // Lets the thread block where its run up to here leads nowhere. pre: `now` has its parent and its action.
  void judge(LocalState& now);

  // Whether two states of a thread behave alike for ever.
  bool same(const ThreadState& a, const ThreadState& b) const;

  // What comes of a read: the write that may belong to it, then as far as the next action. pre: the value lets it go
  // on.
  struct Ahead {
    ThreadState state;
    Action write, reached;
    bool writes = false;
  };
  Ahead ahead(const LocalState& read, std::uint64_t value) const;

  // Whether both lead to the same, whatever they wrote.
  bool alike(const Ahead& a, const Ahead& b) const;

  // Whether the update that a thread is at, made at `from`, would be the same. pre: it reads `value`, with what comes
  // of that.
  bool may_be_made_at(const LocalState& from, const LocalState& last, std::uint64_t value, const Ahead& found) const;

  // Where the innermost loop that the thread is in stands; where that is not known, where the thread stands.
  std::uint32_t loop_of(const LocalState& now) const;

private:
  bool is_shortcut(const LocalState& from, const LocalState& last, const LocalState& now);
  void judge_update(LocalState& now) const;

  Machine& machine_;
  Liveness liveness_;
  bool with_updates_;
};

} // namespace fencepost
