// Identical threads in an Engine, beyond what Symmetry decides on a graph: who starts such threads may join them only
// all at once. Joins in a row, with nothing that anybody sees between them, are one event that waits for all kin; where
// a program does anything else the reduction is given up, and the exploration begins again without it.
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

// Whether thread t can be joined now: it and its kin have ended. exit() never comes back.
template <unsigned W> bool Engine<W>::can_join(std::uint32_t t) const {
  const Graph<W>& g = graph();
  if (t >= g.thread.size() || !g.thread[t].now) return true; // an error, reported when it is its turn
  const auto ended = [](const auto& th) { return th.now->action.kind == ActionKind::End && !th.now->action.process; };
  return ended(g.thread[t]) && symmetry_.all_kin(g, t, ended);
}

// Looks at a Join that was just made, and at what its thread does next.
template <unsigned W> void Engine<W>::judge_join(Id e) {
  const Graph<W>& g = graph();
  FP_ASSERT(g[e].kind == ActionKind::Join, "only a join should be judged as one");
  FP_ASSERT(g[e].at->action.value < g.thread.size(), "who is joined should exist");
  const auto& joined = g.thread[g[e].at->action.value];
  if (!symmetry_.on() || joined.kin < 0) return;
  const auto of_kin = [&](const Action& a) {
    return a.kind == ActionKind::Join && a.value < g.thread.size() && g.thread[a.value].kin == joined.kin;
  };
  std::size_t made = 0;
  for (Id d = e; d != none && of_kin(g[d].at->action); d = g[d].po_before)
    ++made;
  const auto kin = static_cast<std::size_t>(
      std::count_if(g.thread.begin(), g.thread.end(), [&](const auto& th) { return th.kin == joined.kin; }));
  if (kin < 2) return;
  const bool used = states_.machine().program().code[g[e].at->state.pc].dst >= 0;
  const bool by_maker = joined.spawned_by != none && g[joined.spawned_by].thread == g[e].thread;
  const bool all_the_same =
      symmetry_.all_kin(g, static_cast<std::uint32_t>(g[e].at->action.value),
                        [&](const auto& th) { return !used || th.now->action.value == g[e].value; });
  if (!by_maker || !all_the_same || (made < kin && !of_kin(g.thread[g[e].thread].now->action))) give_up_symmetry();
}

// Whether some thread waits for others only because their kin have not ended, and would do something else than join
// those next. pre: no thread can move.
template <unsigned W> bool Engine<W>::joins_in_part() {
  const Graph<W>& g = graph();
  const auto ended = [](const auto* now) { return now->action.kind == ActionKind::End && !now->action.process; };
  return symmetry_.on() && std::any_of(g.thread.begin(), g.thread.end(), [&](const auto& th) {
           std::int32_t kin = -1;
           for (LocalState* now = th.now; now && now->action.kind == ActionKind::Join;) {
             if (now->action.value >= g.thread.size() || !g.thread[now->action.value].now) break;
             const auto& joined = g.thread[now->action.value];
             if (kin >= 0 && joined.kin != kin) break;
             if (!ended(joined.now)) return false;
             kin = joined.kin;
             now = states_.next(now, joined.now->action.value);
           }
           return kin >= 0;
         });
}

template <unsigned W> void Engine<W>::give_up_symmetry() {
  results_.asymmetric = true;
  reporter_.give_up();
}

} // namespace fencepost
