// Models without a coherence order (WRC11). The list of the writes of a location is a list, and no order: a write has
// one place, a read tries every write, and what a waiting read has seen does not matter.
#pragma once

#include "explore/engine.hpp"

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

// Without a coherence order a thread that waits may read again whatever it may read: it waits for ever if none of that
// serves it.
template <unsigned W> bool Engine<W>::waits_for_ever(Id r) {
  Graph<W>& g = graph();
  const Event& v = g[r];
  const Id seen = v.reads_from;
  const auto read = [&](Id w) {
    g.clear_reads_from(r);
    g.set_reads_from(r, w);
    compute_rows(g, r, options_.model);
  };
  const auto serves = [&](Id w) {
    if (!states_.machine().satisfied(v.at->state, v.at->action, value_of(w, v.location))) return false;
    const bool taken = updates(v.at->action.part) && g.readers_of(w, v.location).some([&](unsigned o) {
      const Id next = g.event[o].po_after;
      return next != none && g[next].is_update();
    });
    read(w);
    return !taken && consistency_.accepts_weakly(g);
  };
  bool served = serves(initial);
  for (Id w = g.location[v.location].first; w != none && !served; w = g[w].co_after)
    served = serves(w);
  read(seen);
  return !served;
}

// Whatever a thread that waits has read, it is the same execution: it is told where each read the canonical write.
template <unsigned W> void Engine<W>::complete_without_coherence() {
  const Graph<W>& g = graph();
  const auto all = [](Id) { return true; };
  for (const auto& th : g.thread)
    if (th.waits != none && g[th.waits].reads_from != consistency_.canonical_source(g, th.waits, all)) return;
  for (const auto& th : g.thread)
    if (th.waits != none && !waits_for_ever(th.waits)) return;
  tell(g);
}

} // namespace fencepost
