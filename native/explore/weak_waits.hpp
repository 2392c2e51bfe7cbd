// Threads that wait where there is no coherence order: what a thread has seen in vain makes no difference to an
// execution, and it may read again whatever it may read.
#pragma once

#include "models/rows.hpp"
#include "models/weak_order.hpp"

namespace fencepost {

// Whether nothing that the waiting read r may read serves it. The graph is as before in the end.
template <unsigned W> bool waits_for_ever(Graph<W>& g, Id r, WeakOrder<W>& order, LocalStates& states, Model model) {
  const Event& v = g[r];
  const Id seen = v.reads_from;
  const auto read = [&](Id w) {
    g.clear_reads_from(r);
    g.set_reads_from(r, w);
    compute_rows(g, r, model);
  };
  const auto serves = [&](Id w) {
    const std::uint64_t value = w == initial ? states.locations().initial(v.location) : g[w].value;
    if (!states.machine().satisfied(v.at->state, v.at->action, value)) return false;
    const bool taken = updates(v.at->action.part) && g.readers_of(w, v.location).some([&](unsigned o) {
      const Id next = g.event[o].po_after;
      return next != none && g[next].is_update();
    });
    read(w);
    return !taken && order.consistent(g);
  };
  bool served = serves(initial);
  for (Id w = g.location[v.location].first; w != none && !served; w = g[w].co_after)
    served = serves(w);
  read(seen);
  return !served;
}

// Whether every thread that waits does so for ever, and this is the graph that stands for all in which it has seen
// something else: each has read the canonical write.
template <unsigned W> bool all_wait_for_ever(Graph<W>& g, WeakOrder<W>& order, LocalStates& states, Model model) {
  const auto all = [](Id) { return true; };
  for (const auto& th : g.thread)
    if (th.waits != none && g[th.waits].reads_from != order.canonical_source(g, th.waits, all)) return false;
  for (const auto& th : g.thread)
    if (th.waits != none && !waits_for_ever(g, th.waits, order, states, model)) return false;
  return true;
}

} // namespace fencepost
