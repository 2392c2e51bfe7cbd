// Barriers in an Engine: who arrives first is nobody's business. An arrival is an update of the barrier's counter that
// reads the newest one and revisits nobody, so arrivals are ordered as they come; the wait for the others reads the
// arrival that completes the round. Both are to the search what a fence or a join is: steps without a choice.
//
// That is exact where exactly as many threads as the barrier is for ever arrive at it, each arrival sees that it was
// made, and nothing else looks at its counter in between. Where a graph shows anything else, the reduction is given up
// and the exploration begins again without it (docs/how/reductions.md).
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

// What an arrival, or the wait for the others, reads: the only thing that it may. `none` where it has to wait.
template <unsigned W> Id Engine<W>::next_source_at_barrier(Frame& f) {
  const Graph<W>& g = graph();
  const Event& v = g[f.event];
  Id w = g.coherence_last(v.location);
  f.cursor = none;
  if (!waits(v.at->action.part)) return w;
  const auto completes = [&](Id d) {
    return states_.machine().satisfied(v.at->state, v.at->action, value_of(d, v.location));
  };
  if (!completes(w)) return none;
  while (w != initial && completes(g[w].co_before))
    w = g[w].co_before;
  return w;
}

// Gives the reduction up where event e, which was just added, makes order of arrival matter. pre: it has no source or
// place yet.
template <unsigned W> void Engine<W>::judge_barrier(Id e) {
  const Graph<W>& g = graph();
  const Event& v = g[e];
  if (!has_barriers_ || v.location == no_location) return;
  const bool arrives = v.at->action.barrier && v.is_read() && !waits(v.at->action.part);
  if (arrives ? arrives_regularly(e) : v.at->action.barrier || looks_regularly(e)) return;
  results_.irregular = true;
  reporter_.give_up();
}

// For an arrival: all who ever look at the counter otherwise come before it; it cannot miss that the barrier was made;
// and no more threads arrive than the barrier is for, by what was read just before.
template <unsigned W> bool Engine<W>::arrives_regularly(Id e) const {
  const Graph<W>& g = graph();
  const Event& v = g[e];
  if (has_blocks_ || without_coherence(options_.model)) return false;
  const auto count = [&](Id read) { return g[read].po_before == none ? 0 : g[g[read].po_before].value; };
  const Set before = prefix_before(g, e);
  const bool seen = (g.location[v.location].reads - before).some([&](unsigned r) {
    return static_cast<Id>(r) != e && !g.event[r].at->action.barrier;
  });
  std::vector<bool> others(g.thread.size());
  Id w = g.coherence_last(v.location);
  for (; w != initial && g[w].at->action.barrier; w = g[w].co_before) {
    if (count(g.read_of_update(w)) != count(e)) return false;
    others[g[w].thread] = true;
  }
  others[v.thread] = false;
  return !seen && static_cast<std::uint64_t>(std::count(others.begin(), others.end(), true)) < count(e) &&
         Consistency<W>::is_floor(g, w, v.location, consistency_.view(g, e));
}

// For any other access: it writes only what no arrival follows, and reads only where it has seen all arrivals.
template <unsigned W> bool Engine<W>::looks_regularly(Id e) const {
  const Graph<W>& g = graph();
  const Event& v = g[e];
  const Set view = consistency_.view(g, e);
  return !g.location[v.location].writes.some(
      [&](unsigned w) { return g.event[w].at->action.barrier && (v.is_write() || !view.test(w)); });
}

} // namespace fencepost
