// The definition of CommitEngine, continued: revisits.
#pragma once

#include "explore/commit_engine.hpp"

namespace fencepost {

// Takes events out. Their threads go back to the first that is missing.
template <unsigned W> void CommitEngine<W>::cut(G& g, const Set& gone) const {
  auto known = std::find_if(g.order.begin(), g.order.end(), [&](Id e) { return gone.test(g.bit(e)); });
  for (; known != g.order.end(); ++known)
    g[*known].chosen = Chosen::Unknown; // it may have looked at what goes
  for (auto at = g.order.rbegin(); at != g.order.rend(); ++at) {
    const Id e = *at;
    if (!gone.test(g.bit(e))) continue;
    const std::uint32_t slot = g[e].slot;
    LocalState* const there = g[g[e].half == Half::Commit ? g[e].write : e].at; // commits are not met again
    auto& th = g.thread[g[e].thread];
    g.remove(e);
    if (!th.begin) continue;
    if (slot <= th.now->state.events) th.halted = th.told = false;
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
    look();
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
  for (auto e = g.order.rbegin(); *e != r; ++e)
    g[*e].chosen = Chosen::Unknown; // it may have looked at what r sees
  g[r].chosen = Chosen::Unknown;
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
