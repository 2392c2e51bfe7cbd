// The definition of CommitEngine, continued: closed sets, canonical choices, what may be garbage, and revisits.
#pragma once

#include "explore/commit_engine.hpp"

namespace fencepost {

// --- closed sets -----------------------------------------------------------------------------------------------------

// Adds the halves of read-modify-writes that need nothing else: whoever keeps the read keeps the write. Not those of
// `apart`. pre: with each event its prefix is in the set.
template <unsigned W> void CommitEngine<W>::close(const G& g, Set& set, const Set& apart) const {
  for (bool changed = true; changed;) {
    changed = false;
    ((set & g.updating) - apart).each([&](unsigned r) {
      const Id w = g.at_slot(g.event[r].thread, g.event[r].slot + 1);
      FP_ASSERT(w != none && g[w].is_write(), "a read that updates should have its write");
      for (const Id half : {w, g[w].commit}) {
        if (half == none || set.test(g.bit(half)) || (g.prefix_of(half) - set).any()) continue;
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

// --- canonical choices -----------------------------------------------------------------------------------------------

// The po-first later access of its thread that says where in coherence e belongs: before a write (true), or not after
// one that a read sees (false).
template <unsigned W> std::pair<Id, bool> CommitEngine<W>::bound(const G& g, Id e, const Set& previous) const {
  const SplitEvent& v = g[e];
  const auto& slots = g.thread[v.thread].slot;
  for (std::size_t k = v.slot + 1; k < slots.size(); ++k) {
    const Id f = slots[k];
    if (f == none || g[f].location != v.location || g[f].half != Half::Whole || g[f].pair == e) continue;
    if (g[f].is_write() && g.commits(previous, f)) return {f, true};
    if (!g[f].is_read() || !previous.test(g.bit(f))) continue;
    const Id w = g[f].reads_from;
    if (w != e && g.commits(previous, w)) return {w, false};
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

// --- what the model says ---------------------------------------------------------------------------------------------

// The slow twin of `consistent`.
template <unsigned W> bool CommitEngine<W>::consistent_anew(const G& g) {
  CommitStructure<W, G> structure;
  return !structure.build(g, states_.machine().dependencies(), options_.success_dependencies) ||
         PlanEvaluator<W>(options_.plan).consistent(structure.s);
}

// Also forbidden: two read-modify-writes that read the same write, though one may not have written yet.
template <unsigned W> bool CommitEngine<W>::consistent(G& g) {
  if (g.judged) return true;
  if (!options_.foreseen.empty() && !as_foreseen(g)) return false;
  for (const auto& l : g.location) {
    Set taken;
    bool twice = l.initial_readers.any() && updates_twice(g, l.initial_readers);
    l.reads.each([&](unsigned r) {
      const Id w = g.event[r].reads_from;
      if (w < 0 || taken.test(g.bit(w))) return;
      taken.set(g.bit(w));
      twice |= updates_twice(g, g.readers[static_cast<std::size_t>(w)]);
    });
    if (twice) return false;
  }
  if (!structure_.build(g, states_.machine().dependencies(), options_.success_dependencies)) {
    full_ = true;
    return true;
  }
  g.judged = plan_.consistent(structure_.s);
  FP_ASSERT(g.judged == consistent_anew(g), "what is kept from graph to graph should be what the graph says");
  return g.judged;
}

template <unsigned W> bool CommitEngine<W>::updates_twice(const G& g, const Set& readers) const {
  unsigned count = 0;
  readers.each([&](unsigned r) { count += g.event[r].action().part == Part::Rmw; });
  return count > 1;
}

// Drops the graph on top of the stack where it cannot lead to an execution.
template <unsigned W> void CommitEngine<W>::keep_if_possible() {
  if (!possible(top())) ++spare_;
}

// Whether a graph is an execution so far, or what makes it none may go.
template <unsigned W> bool CommitEngine<W>::possible(G& g) {
  g.fits = consistent(g);
  return g.fits || may_be_garbage(g);
}

// What no revisit below this graph deletes or changes: events with another than the canonical choice, what they need,
// and what came before the first read that a revisit might change. Under IMM the read of a compare-exchange may be
// deleted for a later access that sees the same: it stands for that one then, its write does not (`apart`).
template <unsigned W> Bits<W> CommitEngine<W>::fixed(const G& g, Set& apart) const {
  const bool may_pass = options_.commit_order == CommitOrder::Imm;
  Set perm;
  for (bool changed = true; changed;) {
    changed = false;
    Set before;
    for (const Id e : g.order) {
      before.set(g.bit(e));
      if (perm.test(g.bit(e))) continue;
      Set base = before | perm;
      const SplitEvent& v = g[e];
      if (v.is_read() && v.reads_from >= 0) {
        base.set(g.bit(v.reads_from));
        if (g[v.reads_from].commit != none) base.set(g.bit(g[v.reads_from].commit));
      }
      if (canonical(g, e, base)) continue;
      if (v.is_read()) { // later accesses may make it so
        const auto& slots = g.thread[v.thread].slot;
        for (std::size_t k = v.slot + 1; k < slots.size(); ++k)
          if (slots[k] != none) {
            base.set(g.bit(slots[k]));
            if (g[slots[k]].commit != none) base.set(g.bit(g[slots[k]].commit));
          }
        if (canonical(g, e, base)) continue;
      }
      perm.set(g.bit(e));
      perm |= g.prefix_of(e);
      if (may_pass && v.is_read() && g.compares(e)) apart.set(g.bit(e));
      close(g, perm, apart); // who keeps a read keeps its write
      changed = true;
    }
  }
  Set keep = perm;
  for (const Id e : g.order) {
    if (g[e].is_read() && !perm.test(g.bit(e))) break;
    keep.set(g.bit(e));
    keep |= g.prefix_of(e);
  }
  close(g, keep, apart);
  return keep;
}

// Whether all that the model forbids in a graph might go by a later revisit. pre: the model forbids it.
template <unsigned W> bool CommitEngine<W>::may_be_garbage(const G& g) {
  Set apart, stay = fixed(g, apart);
  std::vector<Id> updates;
  if (options_.commit_order == CommitOrder::Imm) add_forced(g, stay, apart, updates);
  const Set gone = g.used - stay;
  if (gone.none()) return false;
  part_ = g;
  cut(part_, gone);
  for (const Id r : updates)
    if (!place_after_source(part_, r)) return false;
  return consistent(part_);
}

// A read between two accesses of its thread that stay and see the same write sees it, too, in every execution that they
// are part of; and an update that stays has written there, right after what it read, where all that decides stays. So
// these belong to what stays.
template <unsigned W>
void CommitEngine<W>::add_forced(const G& g, Set& stay, Set apart, std::vector<Id>& updates) const {
  for (const auto& th : g.thread) {
    for (std::size_t k = 0; k < th.slot.size(); ++k) {
      const Id r = th.slot[k];
      if (r == none || !g[r].is_read() || g[r].stuck) continue;
      const bool surely = stay.test(g.bit(r)) && !apart.test(g.bit(r));
      if (!surely && !forced(g, r, stay, apart)) continue;
      stay.set(g.bit(r));
      apart.reset(g.bit(r));
      const Id w = g.updating.test(g.bit(r)) ? th.slot[k + 1] : none;
      if (w == none || g[w].commit == none || stay.test(g.bit(g[w].commit))) continue;
      if (!g.commits(stay, g[r].reads_from) || !decided(g, w, stay, apart)) continue;
      stay.set(g.bit(w));
      stay.set(g.bit(g[w].commit));
      updates.push_back(r);
    }
  }
}

template <unsigned W> bool CommitEngine<W>::forced(const G& g, Id r, const Set& stay, const Set& apart) const {
  const SplitEvent& v = g[r];
  const auto& slots = g.thread[v.thread].slot;
  if (!g.commits(stay, v.reads_from)) return false;
  const auto sees = [&](Id e) {
    return e != none && stay.test(g.bit(e)) && g[e].location == v.location && g[e].half == Half::Whole && !g[e].stuck &&
           (g[e].is_read() ? g[e].reads_from : e) == v.reads_from;
  };
  const auto surely = [&](Id e) { return sees(e) && !apart.test(g.bit(e)); };
  const auto here = slots.begin() + v.slot;
  return (v.reads_from == initial || std::any_of(slots.begin(), here, surely)) &&
         std::any_of(here + 1, slots.end(), sees);
}

// Whether all that decides if a write happens is there and stays.
template <unsigned W> bool CommitEngine<W>::decided(const G& g, Id w, const Set& stay, const Set& apart) const {
  const auto& all = states_.machine().dependencies().elements(g[w].action().control_deps);
  return std::all_of(all.begin(), all.end(), [&](std::uint32_t d) {
    const Id e = g.at_slot(g[w].thread, slot_of(d));
    return e != none && stay.test(g.bit(e)) && !apart.test(g.bit(e)) && g[e].is_read();
  });
}

// Puts the write of an update right after what it read; false where another update of it is there.
template <unsigned W> bool CommitEngine<W>::place_after_source(G& g, Id r) const {
  const Id w = g.at_slot(g[r].thread, g[r].slot + 1), source = g[r].reads_from;
  const Id next = g.coherence_after(source, g[r].location);
  if (next == w) return true;
  if (next != none && g[next].pair != none && g[g[next].pair].reads_from == source) return false;
  g.displace(w);
  g.place(w, source);
  return true;
}

// --- revisits --------------------------------------------------------------------------------------------------------

// Takes events out. Their threads go back to the first that is missing.
template <unsigned W> void CommitEngine<W>::cut(G& g, const Set& gone) const {
  for (auto at = g.order.rbegin(); at != g.order.rend(); ++at) {
    const Id e = *at;
    if (!gone.test(g.bit(e))) continue;
    const std::uint32_t slot = g[e].slot;
    LocalState* const there = g[g[e].half == Half::Commit ? g[e].write : e].at; // commits are not met again
    auto& th = g.thread[g[e].thread];
    g.remove(e);
    if (!th.begin) continue;
    if (slot <= th.now->state.events) th.halted = false;
    if (slot < th.now->state.events) th.now = there;
  }
  std::erase_if(g.order, [&](Id e) { return gone.test(g.bit(e)); });
  FP_ASSERT(g.order.size() == g.used.count(), "each event that is left should be in the order");
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    auto& th = g.thread[t];
    if (!th.begin) continue;
    forget_comparisons(g, t, th.now->state.events);
    if (th.halted && g.at_slot(t, th.now->state.events) == none)
      th.halted = th.told = false; // it met an error: look again
  }
}

// From here on a thread may come to other values to compare with.
template <unsigned W> void CommitEngine<W>::forget_comparisons(G& g, std::uint32_t t, std::size_t from) const {
  const auto& slots = g.thread[t].slot;
  for (std::size_t k = from; k < slots.size(); ++k) {
    if (slots[k] == none || !g[slots[k]].is_read() || !g.compares(slots[k])) continue;
    SplitEvent& v = g[slots[k]];
    if (acquires(v.mode) && !acquires(v.action().failure)) v.mode = v.action().failure;
  }
}

// Whether all that is po-before r was there before it. Else a revisit kept r for what it saw: it sees nothing else.
template <unsigned W> bool CommitEngine<W>::in_place(const G& g, Id r) const {
  const auto& slots = g.thread[g[r].thread].slot;
  const auto early = [&](Id e) { return e == none || g[e].stamp < g[r].stamp; };
  return std::all_of(slots.begin(), slots.begin() + g[r].slot,
                     [&](Id e) { return e == none || (early(e) && early(g.whole(e))); });
}

// pre: the commit of a is the last event, and has no place in coherence.
template <unsigned W> void CommitEngine<W>::revisit_all(const G& g, Id a) {
  const Id m = g[a].commit;
  FP_ASSERT(m != none && g.order.back() == m, "the commit of a write that revisits should be the last event");
  FP_ASSERT(g[a].co_before == none, "a write that revisits should have no place");
  const Set kept = g.prefix_of(m);
  Set candidates = g.location[g[a].location].reads - kept;
  for (const Id e : g.thread[g[a].thread].slot)
    if (e != none && g[e].slot < g[a].slot) candidates.reset(g.bit(e));
  std::vector<Id> found;
  Set before = g.used;
  before.reset(g.bit(m));
  for (auto at = g.order.rbegin(); at != g.order.rend() && candidates.any(); ++at) {
    const Id e = *at;
    if (e == m) continue;
    if (!kept.test(g.bit(e))) {
      if (!canonical(g, e, before | kept)) break;
      if (candidates.test(g.bit(e)) && in_place(g, e)) found.push_back(e);
      candidates.reset(g.bit(e));
    }
    before.reset(g.bit(e));
  }
  for (const Id r : found)
    revisit(g, a, r);
}

// The graphs in which r reads from a, without what was added after r and is not before a.
template <unsigned W> void CommitEngine<W>::revisit(const G& from, Id a, Id r) {
  G& g = scratch_;
  g = from;
  const Id m = g[a].commit;
  Set gone = g.used - g.prefix_of(m);
  gone.reset(g.bit(m));
  for (const Id e : g.order) {
    gone.reset(g.bit(e));
    if (e == r) break;
  }
  FP_ASSERT(!gone.test(g.bit(r)) && !gone.test(g.bit(a)), "a revisit should keep both that it is about");
  cut(g, gone);
  g.clear_reads_from(r);
  const std::uint32_t t = g[r].thread;
  g.thread[t].now = g[r].at;
  settle_read(g, r, a, rules_.of(g, t, g[r].slot, *g[r].at, Half::Whole));
  forget_comparisons(g, t, g[r].slot);
  pass(g, t);
  if (!g[r].stuck) return place_everywhere(g, a, none);
  // A thread that waits in vain looks again: it need not see anything but the newest.
  G& other = fork(g);
  other.place(a, g.coherence_last(g[a].location));
  keep_if_possible();
}

} // namespace fencepost
