// The rows of an event: what comes before it in (po ∪ rf)+, in RC11's happens-before (§3.2 of the RCMC paper), and,
// where there is no coherence order, in what stands for it.
#pragma once

#include "graph/graph.hpp"
#include "models/model.hpp"

namespace fencepost {

// The event that precedes e in its thread, or the Spawn of the thread.
template <unsigned W> Id predecessor(const Graph<W>& g, Id e) {
  FP_ASSERT(!g[e].waiting, "a marker should have no place in a thread");
  const Event& v = g[e];
  return v.po_before != none ? v.po_before : g.thread[v.thread].spawned_by;
}

// Everything before e, without what e reads from.
// How many threads the thread of e has started before it.
template <unsigned W> std::uint32_t earlier_spawns(const Graph<W>& g, Id e) {
  std::uint32_t count = 0;
  for (Id d = g[e].po_before; d != none; d = g[d].po_before)
    count += g[d].kind == ActionKind::Spawn;
  return count;
}

template <unsigned W> Bits<W> prefix_before(const Graph<W>& g, Id e) {
  const Id before = predecessor(g, e);
  if (before == none) return {};
  Bits<W> set = g.prefix_of(before);
  set.set(g.bit(before));
  return set;
}

template <unsigned W> Bits<W> happens_before(const Graph<W>& g, Id e) {
  const Id before = predecessor(g, e);
  if (before == none) return {};
  Bits<W> set = g.hb_of(before);
  set.set(g.bit(before));
  return set;
}

template <unsigned W> void add_with_prefix(Bits<W>& set, const std::vector<Bits<W>>& rows, Id e) {
  FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < rows.size(), "what is added with its prefix should have one");
  set |= rows[static_cast<std::size_t>(e)];
  set.set(static_cast<unsigned>(e));
}

template <unsigned W> void compute_prefix(Graph<W>& g, Id e) {
  const Event& v = g[e];
  Bits<W> set = prefix_before(g, e);
  if (v.is_read() && v.reads_from >= 0) add_with_prefix(set, g.prefix, v.reads_from);
  if (v.joined != none) add_with_prefix(set, g.prefix, v.joined);
  FP_ASSERT(!set.test(g.bit(e)), "no event should come before itself");
  FP_ASSERT(!(set - g.used).any(), "what comes before an event should be there");
  g.prefix_of(e) = set;
}

// What an acquire that reads from w (or from an update that continues its release sequence) learns.
template <unsigned W> Bits<W> message_of(const Graph<W>& g, Id w, Model model) {
  const Event& v = g[w];
  FP_ASSERT(v.is_write(), "only a write should have a message");
  Bits<W> set;
  if (v.mode == Mode::Na) return set;
  if (releases(v.mode)) {
    add_with_prefix(set, g.hb, w);
  } else {
    if (v.fence_before != none) add_with_prefix(set, g.hb, v.fence_before);
    Id d = model == Model::Rc11Cpp20 ? none : v.release_before;
    while (d != none && g[d].location != v.location)
      d = g[d].release_before;
    if (d != none) add_with_prefix(set, g.hb, d);
  }
  if (v.is_update()) {
    const Id source = g[g.read_of_update(w)].reads_from;
    if (source >= 0) set |= g.message[static_cast<std::size_t>(source)];
  }
  return set;
}

// Notes what e's thread has released before it, so that no write has to look for it. pre: done for what is before.
template <unsigned W> void note_releases(Graph<W>& g, Id e) {
  Event& v = g[e];
  v.fence_before = v.release_before = none;
  if (v.po_before == none) return;
  const Event& u = g[v.po_before];
  FP_ASSERT(u.fence_before == none || g[u.fence_before].is_fence(), "a fence that was noted should be one");
  FP_ASSERT(u.release_before == none || g[u.release_before].is_write(), "a release that was noted should be a write");
  const auto fence = u.is_fence() ? c11_fence(u.at->action.fence) : std::nullopt;
  v.fence_before = fence && releases(*fence) ? v.po_before : u.fence_before;
  v.release_before = u.is_write() && releases(u.mode) ? v.po_before : u.release_before;
}

template <unsigned W> void compute_happens_before(Graph<W>& g, Id e, Model model) {
  note_releases(g, e);
  const Event& v = g[e];
  const auto at = static_cast<std::size_t>(e);
  Bits<W> set = happens_before(g, e), pending;
  if (v.po_before != none) pending = g.pending[static_cast<std::size_t>(v.po_before)];
  if (v.is_read() && v.reads_from >= 0 && v.mode != Mode::Na) {
    const Bits<W>& learnt = g.message[static_cast<std::size_t>(v.reads_from)];
    (acquires(v.mode) ? set : pending) |= learnt;
  } else if (v.is_fence()) {
    const auto mode = c11_fence(v.at->action.fence);
    if (mode && acquires(*mode)) set |= pending;
  } else if (v.joined != none) {
    add_with_prefix(set, g.hb, v.joined);
  }
  FP_ASSERT(!set.test(g.bit(e)), "no event should happen before itself");
  FP_ASSERT(!(set - g.prefix_of(e)).any(), "what happens before an event should be in its prefix");
  g.hb[at] = set;
  g.pending[at] = pending;
  if (v.is_write()) g.message[at] = message_of(g, e, model);
}

// WRC11: the accesses of its location that are before e in (hb ∪ rf)+. pre: done for them.
template <unsigned W> void compute_earlier(Graph<W>& g, Id e) {
  if (g.earlier.size() < g.event.size()) g.earlier.resize(g.event.size());
  const Event& v = g[e];
  if (v.location == no_location) return;
  const auto& l = g.location[v.location];
  Bits<W> before = g.hb_of(e) & (l.reads | l.writes);
  if (v.is_read() && v.reads_from >= 0) before.set(g.bit(v.reads_from));
  Bits<W> set = before;
  while (before.any()) { // the newest first: of a thousand turns of a loop it has all the others
    const unsigned d = before.last();
    before.reset(d);
    before -= g.earlier[d];
    set |= g.earlier[d];
  }
  g.earlier[static_cast<std::size_t>(e)] = set;
}

template <unsigned W> void compute_rows(Graph<W>& g, Id e, Model model) {
  compute_prefix(g, e);
  if (own_happens_before(model)) compute_happens_before(g, e, model);
  if (without_coherence(model)) compute_earlier(g, e);
}

} // namespace fencepost
