// Waiting reads (await, blocking CAS). A wait that the coherence-last write does not serve becomes a *marker*, which
// stands for every read that would go on waiting, and the thread is asked again when a newer write comes. A revisit may
// leave a wait *pinned* on a write that does not serve it: only another revisit wakes it.
//
// A marker is passed over by revisits, whatever was written since it was made: its thread is asked again, so no other
// node has it on a newer write, and to demand that it be maximal would lose every revisit of what is older than it.
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

// Whether a thread that waits is to be asked again: when a newer write has come. pre: it waits.
template <unsigned W> bool Engine<W>::asked_again(const typename Graph<W>::Thread& th) const {
  const Graph<W>& g = graph();
  if (g[th.waits].pinned) return false;
  const std::uint32_t since = g[th.waits].stamp;
  return g.location[th.now->location].writes.some([&](unsigned w) { return g.event[w].stamp > since; });
}

// Whether a waiting read may take w: only what serves it, and if it has waited before, only what came since. The rest
// was tried when it began to wait.
template <unsigned W> bool Engine<W>::serves(const Frame& f, Id w) {
  const Graph<W>& g = graph();
  const Event& v = g[f.event];
  if (f.waited != none && (w == initial || g[w].stamp < g[f.waited].stamp)) return false;
  return states_.machine().satisfied(v.at->state, v.at->action, value_of(w, v.location));
}

// After all that serves it, a waiting read may wait, where the coherence-last write does not serve it.
template <unsigned W> bool Engine<W>::wait_instead(Frame& f) {
  Graph<W>& g = graph();
  const Event& v = g[f.event];
  if (!waits(v.at->action.part) || f.last_resort || without_coherence(options_.model)) return false;
  const Id last = g.coherence_last(v.location);
  if (states_.machine().satisfied(v.at->state, v.at->action, value_of(last, v.location))) return false;
  FP_ASSERT(f.cursor == none, "a thread should wait after all that serves it");
  g.make_waiting(f.event);
  f.applied = f.last_resort = true;
  return true;
}

// Where reading the write of a revisit would make the read wait, it becomes a pinned wait on it, which must then be
// coherence-last. pre: the write is at its first place.
template <unsigned W> bool Engine<W>::pin(Frame& f) {
  Graph<W>& g = graph();
  FP_ASSERT(g[f.event].co_before != none, "the write of a revisit should be at a place");
  FP_ASSERT(waits(g[f.revisited].at->action.part), "only who waits should be pinned");
  f.cursor = none;
  if (g[f.event].co_after != none || !consistency_.accepts_write(g, f.event) || !symmetry_.canonical(g, f.event))
    return false;
  g.make_waiting(f.revisited);
  g[f.revisited].pinned = true;
  return true;
}

template <unsigned W> typename Engine<W>::Set Engine<W>::pinned_waits(const Graph<W>& g, Location l) const {
  Set found;
  for (const auto& th : g.thread)
    if (th.waits != none && g[th.waits].pinned && g[th.waits].location == l) found.set(g.bit(th.waits));
  return found;
}

// Whether one of `previous` is pinned on w: it reads from w as well, although it is no reader to the model.
template <unsigned W> template <class F> bool Engine<W>::pinned_on(const Graph<W>& g, Id w, F&& previous) const {
  for (const auto& th : g.thread)
    if (th.waits != none && g[th.waits].pinned && g[th.waits].reads_from == w && previous(th.waits)) return true;
  return false;
}

} // namespace fencepost
