// Attempts in vain: a thread adds something, finds that it may not go on, takes it back, waits perhaps, and tries
// again. Where the second try leads to where it would have led as the first one, and nobody made use of what was there
// in between, the first can be left out. What depends on the thread alone is here; the rest is asked of a graph (see
// Engine::left_out). Why that is right is in docs/how/waiting.md.
#pragma once

#include "vm/rounds.hpp"

#include <map>
#include <memory>
#include <tuple>

namespace fencepost {

class Attempts {
public:
  Attempts(Machine& machine, const Rounds& rounds) : machine_(machine), rounds_(rounds) {}

  // The state as one in which the thread stops, where it has just read for an attempt before which there was one in
  // vain; else nothing. pre: `now` has its parent.
  std::unique_ptr<LocalState> judge(const LocalState& now);

  // The same for a thread that has come round to the head of a loop, where the second attempt was in vain, too.
  static std::unique_ptr<LocalState> judge_head(const LocalState& now);

  // Whether a thread that has come round to the head of a loop made an attempt in vain that its next one will tell, and
  // not before: then it goes on.
  bool is_told_by_next(const LocalState& now) const;

  // Whether a read, or an update that adds, goes on alike with both values.
  bool is_indifferent(const LocalState& read, std::uint64_t one, std::uint64_t other);

  // Forgets what is known of states, which are about to go.
  void forget() { known_.clear(); }

private:
  std::unique_ptr<LocalState> stopped(const LocalState& now, std::uint64_t first, const LocalState* round);

  Machine& machine_;
  const Rounds& rounds_;
  std::map<std::tuple<const LocalState*, std::uint64_t, std::uint64_t>, bool> known_; // who is indifferent
};

} // namespace fencepost
