// What a round reads that is left out (docs/how/waiting.md) may be one side of an error. The other side is a write, a
// free or the end of a thread that comes after the loop, by what its thread has read, but not by happens-before: it is
// *late*.
#pragma once

#include "explore/engine.hpp"
#include "models/races.hpp"

namespace fencepost {

// Notes of which threads what a state is about to do, which e is or comes right before, follows more than happens
// before it. Kin may have each other's names in the graph that has the round.
template <unsigned W> void Engine<W>::note_late(Id e, LocalState& action) {
  if (!undone_) return;
  const Graph<W>& g = graph();
  const Set unordered = g.prefix_of(e) - g.hb_of(e);
  if (!unordered.any()) return;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    const auto& th = g.thread[t];
    if (t == g[e].thread || !th.events.meets(unordered)) continue;
    FP_ASSERT(th.now != nullptr, "who did something should exist");
    for (std::uint32_t u = 0; u < g.thread.size(); ++u) {
      const bool alike = u == t || (th.kin >= 0 && g.thread[u].kin == th.kin);
      if (!alike || (u < 64 && (action.late >> u & 1))) continue;
      if (u < 64) action.late |= std::uint64_t{1} << u;
      undone_->note_late(action, u);
    }
  }
}

// The same of the stacks of threads that have ended.
template <unsigned W> void Engine<W>::note_late_ends() {
  for (const auto& th : graph().thread)
    if (th.now && th.last != none && th.now->action.kind == ActionKind::End && !th.now->action.process)
      note_late(th.last, *th.now);
}

// What is wrong with a read after which the search ends: of its races there may be no other graph.
template <unsigned W> void Engine<W>::judge_cut(Id r) {
  const bool races = has_non_atomics_ && own_hb_ && racing(graph(), r) != none;
  if (races && consistency_.accepts_read(graph(), r)) judge_access(r);
}

} // namespace fencepost
