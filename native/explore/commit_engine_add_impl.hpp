// The definition of CommitEngine, continued: every choice of an event, each in a graph of its own.
#pragma once

#include "explore/commit_engine.hpp"

namespace fencepost {

template <unsigned W> Needs<W> CommitEngine<W>::needs_of(const G& g, std::uint32_t t) const {
  const LocalState* now = g.thread[t].now;
  return rules_.of(g, t, now->state.events, *now, Half::Whole);
}

// Lets r read from w. pre: r is missing nothing po-before it.
template <unsigned W> void CommitEngine<W>::settle_read(G& g, Id r, Id w, const Needs<W>& needs) {
  FP_ASSERT(w == initial || g[w].is_write(), "what is read should be a write");
  FP_ASSERT(!(needs.always - g.used).any(), "what a read needs should be there");
  g.set_reads_from(r, w);
  SplitEvent& v = g[r];
  v.value = value_of(g, w, v.location);
  v.stuck = !states_.machine().satisfied(v.at->state, v.action(), v.value);
  const bool own = w >= 0 && g[w].thread == v.thread && g[w].slot < v.slot;
  Set direct = needs.always;
  if (!own) direct |= needs.outside;
  FP_ASSERT(w < 0 || own || g[w].commit != none, "what is read from another thread should be committed");
  if (w >= 0) direct.set(g.bit(own && !rules_.waits_for_commit(g, w, v.action()) ? w : g[w].commit));
  g.prefix_of(r) = row(g, direct);
  keep_riders(g, r, g.prefix_of(r));
  g.judged = false;
}

template <unsigned W> Id CommitEngine<W>::read(G& g, std::uint32_t t, Id w, const Needs<W>& needs) {
  LocalState* now = g.thread[t].now;
  const Id r = g.add(t, now->state.events, now, Half::Whole);
  FP_REQUIRE(r != none, "room for a read should have been looked for");
  g[r].failed_cas = g.compares(r);
  settle_read(g, r, w, needs);
  for (std::size_t k = g[r].slot + 1; k < g.thread[t].slot.size(); ++k) // a write that did not wait for its read
    if (const Id e = g.thread[t].slot[k]; e != none && g[e].is_write()) {
      const Action& a = g[e].action();
      if ((a.rmw && k == g[r].slot + 1) || a.conditional == static_cast<std::int32_t>(g[r].slot)) g.pair_up(r, e);
    }
  pass(g, t);
  return r;
}

template <unsigned W> bool CommitEngine<W>::add_read(std::uint32_t t) {
  G& g = current_;
  LocalState* now = g.thread[t].now;
  const Location l = now->location;
  const Needs<W> needs = needs_of(g, t);
  const Set kept = row(g, needs.always | needs.outside);
  const bool hole = has_hole(g.thread[t]);
  Id best = g.coherence_last(l);
  if (hole) best = source_in_hole(g, t);
  const Set known = newer_than_known(g, t, now->state.events, now->action, kept);
  const bool newest = nothing_after(g, t, now->state.events);
  const bool update = now->action.part == Part::Rmw && newest && options_.commit_order != CommitOrder::Armv7;
  std::optional<Set> stay;
  for (Id w = g.coherence_last(l);; w = g[w].co_before) {
    const bool other_value = w != best && states_.machine().satisfied(now->state, now->action, value_of(g, w, l));
    if (other_value && update && updated_for_good(g, t, w, l, stay)) {
      FP_ASSERT(!could_read(g, t, w, needs), "what an update that stays has read should be read by no other");
    } else if (other_value) {
      G& other = fork(g);
      const Id r = read(other, t, w, needs);
      other[r].chosen = Chosen::Otherwise;
      keep_if_possible(newest ? r : none);
    }
    if (w == initial || known.test(g.bit(w)) || keeps_order(g, w, l, t, now->state.events, kept)) break;
  }
  const bool sure = surely_fits(g, t, now->state.events, *now);
  g[read(g, t, best, needs)].chosen = Chosen::Canonical;
  return sure || still_possible(g);
}

// What the read that thread t comes to sees by its canonical choice, where that depends on what comes after it.
template <unsigned W> Id CommitEngine<W>::source_in_hole(G& g, std::uint32_t t) const {
  LocalState* now = g.thread[t].now;
  const bool judged = g.judged;
  const Id r = g.add(t, now->state.events, now, Half::Whole);
  FP_REQUIRE(r != none, "room for a read should have been looked for");
  const Id best = canonical_source(g, r, g.used);
  g.remove(r);
  g.order.pop_back();
  --g.stamps;
  g.judged = judged;
  FP_ASSERT(g.at_slot(t, now->state.events) == none, "a slot should be free again");
  return best;
}

// Whether w was read by an update that stays with all that a thread adds to this location: another one cannot read it.
template <unsigned W>
bool CommitEngine<W>::updated_for_good(G& g, std::uint32_t t, Id w, Location l, std::optional<Set>& stay) const {
  const auto updates = [&](unsigned r) { return g.event[r].action().part == Part::Rmw && g.event[r].thread != t; };
  if (!g.readers_of(w, l).some(updates)) return false;
  if (!stay) {
    Set apart;
    stay = fixed(g, apart, {t, l}) - apart; // where it is loose, what comes may be what stays
  }
  return (g.readers_of(w, l) & *stay).some(updates);
}

// The slow twin: makes the graph and asks.
template <unsigned W> bool CommitEngine<W>::could_read(G g, std::uint32_t t, Id w, const Needs<W>& needs) {
  read(g, t, w, needs);
  return possible(g);
}

// What an access may not be older than, besides: the model forbids it among events that stay with it. Where something
// is there after it in its thread, another than the canonical choice may still become canonical: nothing is known.
template <unsigned W>
Bits<W> CommitEngine<W>::newer_than_known(const G& g, std::uint32_t t, std::uint32_t slot, const Action& a,
                                          const Set& kept) {
  if (!nothing_after(g, t, slot + 1)) return {};
  return known_.of(g, t, slot, a, kept);
}

// Whether coherence forbids what this slot of a thread does to be older than w, by events that stay with it.
template <unsigned W>
bool CommitEngine<W>::keeps_order(const G& g, Id w, Location l, std::uint32_t thread, std::uint32_t slot,
                                  const Set& kept) const {
  if (w == initial) return true;
  if (g[w].thread == thread && g[w].slot < slot && g.commits(kept, w)) return true;
  return g.readers_of(w, l).some([&](unsigned r) {
    const SplitEvent& v = g.event[r];
    return v.thread == thread && v.slot < slot && !v.stuck && kept.test(r);
  });
}

// Whether the canonical choice for a slot of a thread is sure to change nothing of what the model says: see
// docs/how/power.md. Where it is wrong the end of the graph tells: work is wasted, nothing else.
template <unsigned W>
bool CommitEngine<W>::surely_fits(const G& g, std::uint32_t t, std::size_t slot, const LocalState& at) const {
  const CommitOrder o = options_.commit_order;
  if (o == CommitOrder::Weakest || has_blocks_) return false; // in a block, others come after it
  if ((o == CommitOrder::Imm || o == CommitOrder::Armv7) && !g.fits) return false;
  return nothing_after(g, t, slot + 1) || out_of_touch(g, t, slot, at);
}

// Whether what stands after a slot of a thread has nothing to do with it: no access of its location, and it orders
// nothing by its mode. What depends on it, or stands after a fence that waits for it, would not be there without it.
template <unsigned W>
bool CommitEngine<W>::out_of_touch(const G& g, std::uint32_t t, std::size_t slot, const LocalState& at) const {
  const Action& a = at.action;
  if (acquires(a.mode) || releases(a.mode) || !states_.machine().dependencies().elements(a.address_deps).empty())
    return false;
  if (a.kind == ActionKind::Read ? a.part != Part::Load && a.part != Part::Rmw : a.conditional >= 0) return false;
  const auto& slots = g.thread[t].slot;
  return std::none_of(slots.begin() + static_cast<std::ptrdiff_t>(std::min(slot + 1, slots.size())), slots.end(),
                      [&](Id e) { return e != none && g[e].location == at.location; });
}

// The same for the write of an update: it comes last, right after what its read alone saw.
template <unsigned W> bool CommitEngine<W>::surely_updates(const G& g, Id a, Id place) const {
  const SplitEvent& v = g[a];
  if (!v.action().rmw || v.pair == none || !g.fits || !options_.foreseen.empty()) return false;
  return g[v.pair].reads_from == place && place == g.coherence_last(v.location) &&
         !updates_twice(g, g.readers_of(place, v.location)) && surely_fits(g, v.thread, v.slot, *v.at);
}

template <unsigned W> bool CommitEngine<W>::nothing_after(const G& g, std::uint32_t t, std::size_t slot) const {
  const auto& slots = g.thread[t].slot;
  return std::none_of(slots.begin() + static_cast<std::ptrdiff_t>(std::min(slot, slots.size())), slots.end(),
                      [](Id e) { return e != none; });
}

// Every place of write a in coherence but one, each in a graph of its own. pre: it has none.
template <unsigned W> void CommitEngine<W>::place_everywhere(const G& from, Id a, Id except) {
  const SplitEvent& v = from[a];
  FP_ASSERT(v.co_before == none, "a write that is put everywhere should have no place");
  FP_ASSERT(v.commit != none, "a write that is put into coherence should be committed");
  const Set& kept = from.prefix_of(v.commit);
  const Id source = v.action().rmw && v.pair != none ? from[v.pair].reads_from : none;
  const Id only = source != none && from.committed(source) ? source : none; // else it may come to lie anywhere
  const Set known = newer_than_known(from, v.thread, v.slot, v.action(), kept);
  const bool alone = except != none && !v.action().rmw && v.action().conditional < 0 &&
                     nothing_after(from, v.thread, v.slot + 1); // it is all that is new
  for (Id w = from.coherence_last(v.location);; w = from[w].co_before) {
    if (w != except && (only == none || only == w)) {
      G& other = fork(from);
      other.place(a, w);
      other[v.commit].chosen = except == none ? Chosen::Unknown : Chosen::Otherwise;
      keep_if_possible(alone ? a : none);
    }
    if (w == initial || known.test(from.bit(w)) || keeps_order(from, w, v.location, v.thread, v.slot, kept)) return;
  }
}

template <unsigned W> bool CommitEngine<W>::add_write(std::uint32_t t) {
  G& g = current_;
  LocalState* now = g.thread[t].now;
  const std::uint32_t slot = now->state.events;
  const Needs<W> needs = needs_of(g, t);
  Id a = g.at_slot(t, slot);
  const bool fresh = a == none || g[a].half == Half::Outcome;
  if (fresh) {
    const Id outcome = a;
    const Set data = row(g, needs.always);
    a = g.add(t, slot, now, Half::Whole);
    g[a].outcome = outcome;
    g.prefix_of(a) = data;
    const Action& act = now->action;
    const Id pair = act.rmw                ? g.at_slot(t, slot - 1)
                    : act.conditional >= 0 ? g.at_slot(t, static_cast<std::size_t>(act.conditional))
                                           : none;
    if (pair != none) g.pair_up(pair, a);
  }
  Set direct = needs.commit;
  direct.set(g.bit(a));
  if (g[a].pair != none) direct.set(g.bit(g[a].pair));
  const Set before = row(g, direct);
  const Id m = g.add(t, slot, now, Half::Commit);
  FP_REQUIRE(m != none, "room for a commit should have been looked for");
  FP_ASSERT(g[a].commit == none, "a write should be committed once");
  g[m].write = a;
  g[a].commit = m;
  g.prefix_of(m) = before;
  pass(g, t);
  const Id best = canonical_place(g, a, g.used);
  const bool sure =
      now->action.rmw || now->action.conditional >= 0 ? surely_updates(g, a, best) : surely_fits(g, t, slot, *now);
  try {
    place_everywhere(g, a, best);
    revisit_all(g, a);
  } catch (const Interrupted&) {
    take_back(g, t, fresh ? a : m, now);
    throw;
  }
  g.place(a, best);
  if (now->action.conditional < 0) g[m].chosen = Chosen::Canonical;
  return sure || still_possible(g);
}

// Takes out the last events, from `first` on: parts of what thread t does at `now`.
template <unsigned W> void CommitEngine<W>::take_back(G& g, std::uint32_t t, Id first, LocalState* now) const {
  Set gone;
  for (auto e = g.order.rbegin();; ++e) {
    gone.set(g.bit(*e));
    if (*e == first) break;
  }
  cut(g, gone);
  g.thread[t].now = now;
}

// Whether a store-conditional succeeds, or a compare-exchange will; that it fails is the canonical choice.
template <unsigned W> bool CommitEngine<W>::add_outcome(std::uint32_t t, std::uint32_t slot) {
  G& g = current_;
  G& writes = fork(g);
  writes[add_event(writes, t, slot, Half::Outcome)].value = 1;
  const Id e = add_event(g, t, slot, Half::Outcome);
  g[e].value = 0;
  pass(g, t);
  return true;
}

template <unsigned W> bool CommitEngine<W>::add_choice(std::uint32_t t) {
  G& g = current_;
  const Action& a = g.thread[t].now->action;
  for (auto value = static_cast<std::int64_t>(a.high); value > static_cast<std::int64_t>(a.value); --value) {
    G& other = fork(g);
    other[add_event(other, t)].value = static_cast<std::uint64_t>(value);
    pass(other, t);
  }
  add_event(g, t);
  pass(g, t);
  return true;
}

template <unsigned W> bool CommitEngine<W>::add_other(std::uint32_t t) {
  G& g = current_;
  const Action a = g.thread[t].now->action;
  LocalState* at = g.thread[t].now;
  const bool hole = has_hole(g.thread[t]);
  const Id e = add_event(g, t);
  if (a.kind == ActionKind::Spawn) {
    const std::uint32_t child = states_.numbers().of(t, g[e].slot);
    const auto args = states_.machine().spawn_arguments(at->state);
    if (g.thread.size() <= child) g.thread.resize(child + 1);
    g.thread[child] = {};
    g.thread[child].begin = g.thread[child].now = states_.first(child, static_cast<std::uint32_t>(a.value), args);
    g.thread[child].spawned_by = e;
    g[e].value = child;
  } else if (a.kind == ActionKind::Join) {
    FP_ASSERT(g.thread[a.value].now->action.kind == ActionKind::End, "who is joined should have ended");
    g[e].value = g.thread[a.value].now->action.value;
  }
  pass(g, t);
  return !hole || still_possible(g);
}

} // namespace fencepost
