// The definition of CommitEngine, continued: what the model says of a graph, and whether what it forbids may be garbage
// of a revisit to come (docs/how/power.md).
#pragma once

#include "explore/commit_engine.hpp"

namespace fencepost {

// The slow twin of `consistent`.
template <unsigned W> bool CommitEngine<W>::consistent_anew(const G& g) {
  CommitStructure<W, G> structure;
  return !structure.build(g, states_.machine().dependencies(), options_.success_dependencies) ||
         PlanEvaluator<W>(options_.plan).consistent(structure.s);
}

// What the model says of whole executions only. pre: the graph is one, and consistent.
template <unsigned W> bool CommitEngine<W>::ends_well(G& g) {
  if (!options_.by_end()) return true;
  if (!structure_.build(g, states_.machine().dependencies(), options_.success_dependencies)) {
    full_ = true;
    return true;
  }
  return PlanEvaluator<W>(options_.at_end).consistent(structure_.s);
}

// Also forbidden: two read-modify-writes that read the same write, though one may not have written yet.
template <unsigned W> bool CommitEngine<W>::consistent(G& g, Id last) {
  if (g.judged) return true;
  look();
  if (!options_.foreseen.empty() && !as_foreseen(g)) return false;
  return !updates_twice_within(g, g.used) && allowed(g, last);
}

// What the model says. Where `last` is an event, the graph without it was found consistent: then only what goes through
// it is looked for, and the end of the graph, which is judged as a whole, has the last word.
template <unsigned W> bool CommitEngine<W>::allowed(G& g, Id last) {
  if (tuned_ && last != none) {
    const bool fits = tuned_->still_consistent(g, last);
    FP_ASSERT(fits || !consistent_anew(g), "what a tuned judge forbids should be forbidden by the plan");
    return fits;
  }
  if (tuned_) {
    g.judged = tuned_->consistent(g);
    FP_ASSERT(g.judged == consistent_anew(g), "a tuned judge should say what the plan says");
    return g.judged;
  }
  if (!structure_.build(g, states_.machine().dependencies(), options_.success_dependencies)) {
    full_ = true;
    return true;
  }
  g.judged = plan_->consistent(structure_.s, [this] { look(); });
  FP_ASSERT(g.judged == consistent_anew(g), "what is kept from graph to graph should be what the graph says");
  return g.judged;
}

// Whether two read-modify-writes among some events read the same write.
template <unsigned W> bool CommitEngine<W>::updates_twice_within(const G& g, const Set& some) const {
  Set taken; // what one of them read
  for (const auto& l : g.location) {
    if (updates_twice(g, l.initial_readers & some)) return true;
    const bool twice = (l.reads - l.initial_readers).some([&](unsigned r) {
      if (g.event[r].action().part != Part::Rmw || !some.test(r) || g.event[r].reads_from == none) return false;
      const unsigned w = g.bit(g.event[r].reads_from);
      if (taken.test(w)) return true;
      taken.set(w);
      return false;
    });
    if (twice) return true;
  }
  return false;
}

template <unsigned W> bool CommitEngine<W>::updates_twice(const G& g, const Set& readers) const {
  unsigned count = 0;
  readers.each([&](unsigned r) { count += g.event[r].action().part == Part::Rmw; });
  return count > 1;
}

// Drops the graph on top of the stack where it cannot lead to an execution.
template <unsigned W> void CommitEngine<W>::keep_if_possible(Id last) {
  FP_ASSERT(spare_ < stack_.size(), "there should be a graph on top");
  if (!possible(top(), last)) ++spare_;
}

// Whether a graph is an execution so far, or what makes it none may go.
template <unsigned W> bool CommitEngine<W>::possible(G& g, Id last) {
  if (!g.fits) last = none;
  g.fits = consistent(g, last);
  return g.fits || may_be_garbage(g, last);
}

// Whether the canonical choice of e hangs on what was added before it only: what it reads was there, too.
template <unsigned W> bool CommitEngine<W>::depends_on_earlier(const G& g, Id e) const {
  const SplitEvent& v = g[e];
  if (v.chosen == Chosen::Canonical) return true;                // else it would not be known
  if (v.half == Half::Commit) return v.action().conditional < 0; // what it is paired with may be elsewhere
  if (!v.is_read() || v.reads_from == initial) return true;
  if (v.reads_from == none || g[v.reads_from].commit == none) return false;
  return g[g[v.reads_from].commit].stamp < v.stamp;
}

// Whether e has its canonical choice, given what was added before it; found once. pre: `depends_on_earlier`.
template <unsigned W> bool CommitEngine<W>::chosen_by_rule(G& g, Id e, const Set& before) const {
  Chosen& known = g[e].chosen;
  if (known == Chosen::Unknown) known = canonical(g, e, before) ? Chosen::Canonical : Chosen::Otherwise;
  FP_ASSERT((known == Chosen::Canonical) == canonical(g, e, before), "what is known of a choice should not change");
  return known == Chosen::Canonical;
}

// Whether a branch on what a read saw, or on how its compare-exchange came out, is before all else that its thread does
// from then on. So that needs the read: whatever keeps it keeps the read.
template <unsigned W> bool CommitEngine<W>::branches(const G& g, Id r) const {
  const SplitEvent& v = g[r];
  const auto& th = g.thread[v.thread];
  const std::size_t next = v.slot + (updates(v.action().part) ? 2 : 1);
  const Id e = g.at_slot(v.thread, next);
  if (e == none && th.now->state.events != next) return false;
  const auto& all = states_.machine().dependencies().elements((e == none ? th.now : g[e].at)->action.control_deps);
  return std::any_of(all.begin(), all.end(), [&](std::uint32_t one) { return slot_of(one) == v.slot; });
}

// Whether later accesses make what a read sees its canonical choice.
template <unsigned W> bool CommitEngine<W>::excused(const G& g, Id r, Set base) const {
  const auto& slots = g.thread[g[r].thread].slot;
  for (std::size_t k = g[r].slot + 1; k < slots.size(); ++k)
    if (slots[k] != none) {
      base.set(g.bit(slots[k]));
      if (g[slots[k]].commit != none) base.set(g.bit(g[slots[k]].commit));
    }
  return canonical(g, r, base);
}

template <unsigned W> void CommitEngine<W>::note_newest(const G& g, const Set& fresh) const {
  fresh.each([&](unsigned n) {
    const SplitEvent& v = g.event[n];
    if (v.location != no_location) newest_[v.location] = std::max(newest_[v.location], v.stamp);
  });
}

// Whether an event with another than the canonical choice may get it by an access to come, which does not need it.
template <unsigned W> bool CommitEngine<W>::loose(const G& g, Id e) const {
  const SplitEvent& v = g[e];
  const CommitOrder o = options_.commit_order;
  if (o != CommitOrder::Imm && o != CommitOrder::Armv7) { // what comes may need only that it does not write
    if (v.half == Half::Commit) return g[v.write].pair != none && g.compares(g[v.write].pair);
    return v.is_read() && g.compares(e) && !branches(g, e);
  }
  const bool plain = !v.action().rmw && v.action().conditional < 0;
  if (v.half == Half::Commit) return o == CommitOrder::Armv7 ? plain : !releases(g[v.write].mode);
  if (!v.is_read() || branches(g, e)) return false;
  if (o == CommitOrder::Armv7) return true;
  const Action& a = v.action();
  if (a.part == Part::Rmw || a.part == Part::BlockingCas) return false;
  if (!acquires(a.mode) || (a.part == Part::Cas && !acquires(a.failure))) return true;
  const auto& slots = g.thread[v.thread].slot;
  return std::any_of(slots.begin(), slots.begin() + v.slot, [&](Id d) { // then what follows may not need it
    return d != none && g[d].location == v.location && (g[d].is_write() || g.compares(d));
  });
}

// Whether an update has written what hangs on nothing but what it reads, under a model where such reads are loose. What
// is to stand for it is forbidden where its write is.
template <unsigned W> bool CommitEngine<W>::updates_alone(const G& g, Id r) const {
  const SplitEvent& v = g[r];
  if (options_.commit_order != CommitOrder::Armv7 || !v.is_read()) return false;
  if (v.action().part != Part::Rmw && v.action().part != Part::BlockingCas) return false;
  const Id w = g.at_slot(v.thread, v.slot + 1);
  if (w == none || g[w].commit == none) return false;
  const auto& all = states_.machine().dependencies().elements(g[w].action().data_deps);
  return std::all_of(all.begin(), all.end(), [&](std::uint32_t d) { return slot_of(d) == v.slot; });
}

// Whether two updates among some events that stay read the same write, and are in no execution: neither can go, or, of
// two that have written, at most one at a time may (docs/how/power.md).
template <unsigned W> bool CommitEngine<W>::surely_twice(const G& g, const Set& some, const Set& apart) const {
  if (updates_twice_within(g, some - apart)) return true;
  Set written;
  (some & g.updating).each([&](unsigned r) {
    const Id w = g.at_slot(g.event[r].thread, g.event[r].slot + 1);
    if (g[w].commit == none || !some.test(g.bit(g[w].commit))) return;
    if (!apart.test(r) || updates_alone(g, static_cast<Id>(r))) written.set(r);
  });
  return (written & apart).any() && updates_twice_within(g, written);
}

// Whether a loose read needs what the store that may stand for it does not, and what may go with it: what an earlier
// write of its thread and location hangs on, or the late operand of an update that wrote what it sees.
template <unsigned W> bool CommitEngine<W>::takes_along(const G& g, Id r) const {
  const SplitEvent& v = g[r];
  const auto& slots = g.thread[v.thread].slot;
  const bool own = std::any_of(slots.begin(), slots.begin() + v.slot, [&](Id d) {
    if (d == none || !g[d].is_write() || g[d].location != v.location) return false;
    const Action& a = g[d].action();
    return a.rmw || a.conditional >= 0 || !states_.machine().dependencies().elements(a.data_deps).empty();
  });
  const Id w = v.reads_from;
  if (own || w < 0 || g[w].pair == none) return own;
  FP_ASSERT(g[w].commit != none, "what another thread reads should be committed");
  Set late = g.prefix_of(g[w].commit) - g.prefix_of(g[w].pair);
  late.reset(g.bit(w));
  late.reset(g.bit(g[w].pair));
  return late.any();
}

// Whether the model may allow the access to come where it forbids this one: what stands for a compare-exchange writes
// nothing, what stands for a read that acquires need not acquire, and what stands for a store need not wait for the
// same value.
template <unsigned W> bool CommitEngine<W>::may_be_allowed_later(const G& g, Id e) const {
  const SplitEvent& v = g[e];
  const bool armv7 = options_.commit_order == CommitOrder::Armv7;
  if (armv7 && options_.pieces && v.is_read()) return true; // it may be torn
  if (!loose(g, e)) return false;
  if (armv7 && v.is_read() && takes_along(g, e)) return true;
  if (v.is_read()) return options_.commit_order == CommitOrder::Imm ? acquires(v.action().mode) : g.compares(e);
  const Action& a = v.action();
  const Id r = g[v.write].pair;
  if (a.rmw && (r == none || g.compares(r))) return true;
  const auto& all = states_.machine().dependencies().elements(a.data_deps);
  return std::any_of(all.begin(), all.end(), [&](std::uint32_t d) { return r == none || slot_of(d) != g[r].slot; });
}

// What no revisit below this graph deletes or changes: events with another than the canonical choice, what they need,
// and what came before the first read that a revisit might change. Under IMM and ARMv7 such an event may be deleted for
// a later access of its location that does not need it: it stands for that one then, and what needs it need not stay
// (`apart`).
// A choice is looked at again only where something of its location that came later is fixed. What `soon` says is about
// to be added may excuse reads.
template <unsigned W> Bits<W> CommitEngine<W>::fixed(G& g, Set& apart, Soon soon) const {
  Set perm;
  newest_.assign(g.location.size(), 0);
  bool first = true;
  for (bool changed = true; changed; first = false) {
    changed = false;
    Set before;
    for (const Id e : g.order) {
      before.set(g.bit(e));
      if (perm.test(g.bit(e))) continue;
      const SplitEvent& v = g[e];
      const bool alone = v.location == no_location || newest_[v.location] <= v.stamp;
      if (alone && (!first || (depends_on_earlier(g, e) && chosen_by_rule(g, e, before)))) continue;
      look();
      Set base = before | perm;
      if (v.is_read() && v.reads_from >= 0) {
        base.set(g.bit(v.reads_from));
        if (g[v.reads_from].commit != none) base.set(g.bit(g[v.reads_from].commit));
      }
      if (canonical(g, e, base)) continue;
      if (v.is_read() && ((v.thread == soon.thread && v.location == soon.location) || excused(g, e, base))) continue;
      if (may_be_allowed_later(g, e)) continue;
      const Set old = perm;
      perm.set(g.bit(e));
      perm |= g.prefix_of(e);
      if (loose(g, e))
        apart.set(g.bit(e));
      else
        apart -= g.prefix_of(e);
      close(g, perm, apart); // who keeps a read keeps its write
      note_newest(g, perm - old);
      changed = true;
    }
  }
  Set keep = perm;
  for (const Id e : g.order) {
    if (g[e].is_read() && (!perm.test(g.bit(e)) || apart.test(g.bit(e)))) break;
    keep.set(g.bit(e));
    keep |= g.prefix_of(e);
  }
  close(g, keep, apart);
  return keep;
}

// Whether all that is forbidden in a graph might go by a later revisit. pre: something is. What the model allows it
// allows in part.
template <unsigned W> bool CommitEngine<W>::may_be_garbage(G& g, Id last) {
  Set apart, stay = fixed(g, apart);
  std::vector<Id> updates;
  if (options_.commit_order == CommitOrder::Imm) add_forced(g, stay, apart, updates);
  const Set gone = g.used - stay;
  if (gone.none() || surely_twice(g, stay, apart)) return false;
  const bool in_parts = options_.commit_order != CommitOrder::Weakest && updates.empty() && options_.foreseen.empty();
  if (in_parts && updates_twice_within(g, g.used) && allowed(g, last)) {
    g.judged = false;
    return true;
  }
  part_ = g;
  cut(part_, gone);
  for (const Id r : updates)
    if (!place_after_source(part_, r)) return false;
  if (!options_.foreseen.empty() && !as_foreseen(part_)) return false;
  if (surely_twice(part_, part_.used, apart)) return false;
  if (has_blocks_ && options_.commit_order == CommitOrder::Imm) return true; // a part of a block is not the block
  return allowed(part_, none);
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

} // namespace fencepost
