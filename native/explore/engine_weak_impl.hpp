// Models without a coherence order (WRC11). The list of the writes of a location is a list, and no order: a write has
// one place, a read tries every write, and what a waiting read has seen does not matter.
#pragma once

#include "explore/engine.hpp"
#include "explore/weak_waits.hpp"

namespace fencepost {

template <unsigned W> Id Engine<W>::next_source_weakly(Frame& f) {
  const Id w = f.cursor;
  f.cursor = w == initial ? none : graph()[w].co_before;
  return w;
}

template <unsigned W> bool Engine<W>::only_place_weakly(Frame& f) {
  Graph<W>& g = graph();
  if (f.cursor == none) return false;
  f.cursor = none;
  g.place(f.event, g.coherence_last(g[f.event].location));
  return f.applied = true;
}

template <unsigned W> void Engine<W>::complete_without_coherence() {
  const Waiting found = what_becomes(graph(), consistency_.weak_order(), states_, reporter_, options_.model);
  if (found == Waiting::Unsettled) reporter_.report_unsettled(graph());
  if (found == Waiting::ForEver) tell(graph());
}

} // namespace fencepost
