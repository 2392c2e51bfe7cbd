// The definition of CommitEngine, continued: closed sets and canonical choices.
#pragma once

#include "explore/commit_engine.hpp"

namespace fencepost {

// --- closed sets -----------------------------------------------------------------------------------------------------

// Adds the halves of read-modify-writes that need nothing else: whoever keeps the read keeps the write. Not those that
// need something of `apart`, but for the read of an update that hangs on nothing else. pre: with each event its prefix
// is in the set.
template <unsigned W> void CommitEngine<W>::close(const G& g, Set& set, const Set& apart) const {
  for (bool changed = true; changed;) {
    changed = false;
    (set & g.updating).each([&](unsigned r) {
      Set others = apart;
      if (apart.test(r) && !updates_alone(g, static_cast<Id>(r))) return;
      others.reset(r);
      const Id w = g.at_slot(g.event[r].thread, g.event[r].slot + 1);
      FP_ASSERT(w != none && g[w].is_write(), "a read that updates should have its write");
      for (const Id half : {w, g[w].commit}) {
        if (half == none || set.test(g.bit(half)) || (g.prefix_of(half) - set).any()) continue;
        if (g.prefix_of(half).meets(others)) continue;
        set.set(g.bit(half));
        changed = true;
      }
    });
  }
}

// Everything below these events, with them.
template <unsigned W> Bits<W> CommitEngine<W>::row(const G& g, const Set& direct) const {
  Set set = direct;
  direct.each([&](unsigned d) { set |= g.prefix[d]; });
  close(g, set);
  return set;
}

// The write of a releasing update waits for all before it, and its read does not. But an earlier write of the thread
// that needs nothing the read does not need might as well come first: it is kept with the read, and so the update as a
// whole.
template <unsigned W> void CommitEngine<W>::keep_riders(const G& g, Id r, Set& needed) const {
  const SplitEvent& v = g[r];
  const CommitOrder o = options_.commit_order;
  if (o != CommitOrder::Imm && o != CommitOrder::Armv8 && o != CommitOrder::Riscv) return;
  if (!updates(v.action().part) || !releases(v.action().mode)) return;
  if (g.compares(r)) return; // a later access that sees the same may stand for it, and would not need them
  const auto& slots = g.thread[v.thread].slot;
  for (std::size_t k = 0; k < v.slot; ++k) {
    const Id w = slots[k];
    if (w == none || !g[w].is_write() || g[w].action().rmw || g[w].action().conditional >= 0) continue;
    FP_ASSERT(g[w].commit != none, "what is before a read should be committed");
    const unsigned m = g.bit(g[w].commit);
    if (needed.test(m) || (g.prefix_of(w) - needed).any()) continue;
    Set others = g.prefix[m] - needed;
    others.reset(g.bit(w));
    if (others.any()) continue;
    needed.set(g.bit(w));
    needed.set(m);
    close(g, needed);
  }
}

// --- canonical choices -----------------------------------------------------------------------------------------------

// The po-first later access of its thread that says where in coherence e belongs: before a write (true), or not after
// one that a read sees (false).
template <unsigned W> std::pair<Id, bool> CommitEngine<W>::bound(const G& g, Id e, const Set& previous) const {
  const SplitEvent& v = g[e];
  FP_ASSERT(v.location < g.location.size(), "an access should be to a known location");
  if (v.slot + few_slots >= g.thread[v.thread].slot.size()) return bound_by_slots(g, e, previous);
  const auto& l = g.location[v.location];
  std::uint32_t first = UINT32_MAX;
  std::pair<Id, bool> found{none, false};
  const auto later = [&](const SplitEvent& f) { return f.thread == v.thread && f.slot > v.slot && f.slot < first; };
  l.writes.each([&](unsigned n) {
    const SplitEvent& f = g.event[n];
    if (!later(f) || f.pair == e || !g.commits(previous, static_cast<Id>(n))) return;
    first = f.slot;
    found = {static_cast<Id>(n), true};
  });
  l.reads.each([&](unsigned n) {
    const SplitEvent& f = g.event[n];
    if (!later(f) || !previous.test(n) || f.reads_from == e || f.reads_from == none) return;
    if (!g.commits(previous, f.reads_from)) return;
    first = f.slot;
    found = {f.reads_from, false};
  });
  FP_ASSERT(found == bound_by_slots(g, e, previous), "both ways should find the same access");
  return found;
}

// The slow twin.
template <unsigned W> std::pair<Id, bool> CommitEngine<W>::bound_by_slots(const G& g, Id e, const Set& previous) const {
  const SplitEvent& v = g[e];
  const auto& slots = g.thread[v.thread].slot;
  for (std::size_t k = v.slot + 1; k < slots.size(); ++k) {
    const Id f = slots[k];
    if (f == none || g[f].location != v.location || g[f].half != Half::Whole || g[f].pair == e) continue;
    if (g[f].is_write() && g.commits(previous, f)) return {f, true};
    if (!g[f].is_read() || !previous.test(g.bit(f))) continue;
    const Id w = g[f].reads_from;
    if (w != e && w != none && g.commits(previous, w)) return {w, false};
  }
  return {none, false};
}

template <unsigned W> Id CommitEngine<W>::last_of(const G& g, Location l, const Set& previous) const {
  Id w = g.coherence_last(l);
  while (!g.commits(previous, w))
    w = g[w].co_before;
  FP_ASSERT(w == initial || g[w].location == l, "the last write should be of its location");
  return w;
}

template <unsigned W> Id CommitEngine<W>::before_of(const G& g, Id w, const Set& previous) const {
  FP_ASSERT(w >= 0 && g[w].co_before != none, "who is asked for the write before should have a place");
  do
    w = g[w].co_before;
  while (!g.commits(previous, w));
  return w;
}

template <unsigned W> Id CommitEngine<W>::canonical_source(const G& g, Id r, const Set& previous) const {
  const auto [w, before] = bound(g, r, previous);
  if (w == none) return last_of(g, g[r].location, previous);
  return before ? before_of(g, w, previous) : w;
}

// The write after which the write of a pair belongs: what its read saw, and others that saw the same. Two
// of them are in no execution; the one that a revisit deletes makes room for the one that stays.
template <unsigned W> Id CommitEngine<W>::after_updates(const G& g, Id source, Id except, const Set& previous) const {
  Id place = source;
  const Location l = g[except].location;
  for (Id w = g.coherence_after(source, l); w != none; w = g[w].co_after) {
    if (w == except || !g.commits(previous, w)) continue;
    const Id r = g[w].pair;
    if (r == none || !previous.test(g.bit(r)) || g[r].reads_from != place) break;
    place = w;
  }
  return place;
}

// The write right after which w belongs. pre: w is not in `previous`.
template <unsigned W> Id CommitEngine<W>::canonical_place(const G& g, Id w, const Set& previous) const {
  const SplitEvent& v = g[w];
  if (v.pair != none && previous.test(g.bit(v.pair)) && g.commits(previous, g[v.pair].reads_from))
    return after_updates(g, g[v.pair].reads_from, w, previous);
  const Id next_of_it = bound(g, w, previous).first;
  if (next_of_it < 0) return last_of(g, v.location, previous);
  Id next = next_of_it, place = before_of(g, next, previous);
  // Never between what a read-modify-write read and what it wrote.
  while (place != initial && g[next].pair != none && g[g[next].pair].reads_from == place) {
    next = place;
    place = before_of(g, next, previous);
  }
  return place;
}

template <unsigned W> bool CommitEngine<W>::canonical(const G& g, Id e, const Set& previous) const {
  const SplitEvent& v = g[e];
  if (v.kind == ActionKind::Choose) return v.value == v.action().value;
  if (v.half == Half::Outcome) return v.value == 0;
  if (v.is_read()) return v.reads_from == canonical_source(g, e, previous);
  if (v.is_write()) return !g.readers_of(e, v.location).meets(previous);
  if (v.half != Half::Commit) return true;
  const Id w = v.write;
  const Set readers = g.readers_of(w, v.location) & previous;
  if (readers.some([&](unsigned r) { return g.event[r].thread != v.thread || g.event[r].slot < v.slot; })) return false;
  Set others = previous;
  others.reset(g.bit(e));
  return before_of(g, w, others) == canonical_place(g, w, others);
}

} // namespace fencepost
