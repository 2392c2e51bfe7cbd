// Threads that wait where there is no coherence order: what a thread has seen in vain makes no difference to an
// execution, and it may read again whatever it may read.
#pragma once

#include "explore/reporter.hpp"
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

// What becomes of the threads that wait. `Elsewhere`: another graph stands for this one, in which each has read the
// canonical write. `Unsettled`: what a thread has seen does not serve it, and what it may see as well would; nobody
// says which it goes on to see.
enum class Waiting { Elsewhere, Unsettled, ForEver };

// Whether every read of the round that a thread spins in has read the canonical write.
template <unsigned W> bool spins_canonically(const Graph<W>& g, std::uint32_t t, WeakOrder<W>& order) {
  const std::vector<Id> events = g.order_of(t);
  for (std::size_t k = g.thread[t].now->action.value; k < events.size(); ++k) {
    if (events[k] == none || !g[events[k]].is_read()) continue;
    if (g[events[k]].reads_from != order.canonical_source(g, events[k], [](Id) { return true; })) return false;
  }
  return true;
}

template <unsigned W>
Waiting what_becomes(Graph<W>& g, WeakOrder<W>& order, LocalStates& states, const Reporter<Graph<W>>& reporter,
                     Model model) {
  const auto all = [](Id) { return true; };
  for (const auto& th : g.thread)
    if (th.waits != none && g[th.waits].reads_from != order.canonical_source(g, th.waits, all))
      return Waiting::Elsewhere;
  for (const auto& th : g.thread)
    if (th.waits != none && !waits_for_ever(g, th.waits, order, states, model)) return Waiting::Unsettled;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t)
    if (reporter.spins_on(g, t) && spins_canonically(g, t, order)) return Waiting::Unsettled;
  return Waiting::ForEver;
}

} // namespace fencepost
