// The TruSt algorithm (see `Visit` below). What waits, what is without coherence, what stands in atomic blocks and what
// is found have files of their own beside this one.
//
//   Visit(G), paper                                                here
//   a := next(G)                                                   push_next
//   a is a read:  for w in G.W of its location: Visit(SetRF)       advance_read, next_source, apply_source
//   a is a write: VisitCOs(G, a)                                   advance_write, next_place
//     for r in G.R of its location, not porf-before a:             revisitable
//       Deleted := { e | r < e, e not porf-before a }              erase_after
//       if every e of Deleted and r IsMaximallyAdded:              maximal
//         VisitCOs(SetRF(G without Deleted, r, a), a)              push_revisit, advance_base
//   otherwise: Visit(G + a)                                        advance_plain, advance_choose
#pragma once

#include "explore/engine.hpp"

#include <algorithm>

namespace fencepost {

// --- choices ---------------------------------------------------------------------------------------------------------

template <unsigned W> typename Engine<W>::Step Engine<W>::advance(Frame& f) {
  if (f.given) return Step::Exhausted;
  switch (f.kind) {
  case Kind::Read:
    return advance_read(f);
  case Kind::Write:
    return advance_write(f);
  case Kind::Base:
    return advance_base(f);
  case Kind::Choose:
    return advance_choose(f);
  case Kind::Stuck:
    return f.applied ? Step::Exhausted : (f.applied = true, Step::Applied);
  case Kind::Plain:
    return advance_plain(f);
  }
  return Step::Exhausted;
}

// Moves the thread of e on, with e's value as the answer.
template <unsigned W> void Engine<W>::answer(Id e) {
  Graph<W>& g = graph();
  FP_ASSERT(g.thread[g[e].thread].last == e, "who is answered should stand at its last event");
  FP_ASSERT(!g[e].waiting, "who waits should not be answered");
  g.thread[g[e].thread].now = states_.next(g[e].at, g[e].is_write() ? 0 : g[e].value);
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_plain(Frame& f) {
  if (f.applied) return Step::Exhausted;
  f.applied = true;
  Graph<W>& g = graph();
  const Action& a = g[f.event].at->action;
  if (a.kind == ActionKind::Spawn) {
    const std::uint32_t child = states_.numbers().of(f.thread, earlier_spawns(g, f.event));
    const auto args = states_.machine().spawn_arguments(g[f.event].at->state);
    if (g.thread.size() <= child) g.thread.resize(child + 1);
    auto& th = g.thread[child];
    FP_ASSERT(th.now == nullptr && th.last == none, "a thread should be started once");
    th = {};
    th.now = states_.first(child, static_cast<std::uint32_t>(a.value), args);
    th.spawned_by = f.event;
    g[f.event].value = child;
    symmetry_.spawned(g, f.event);
  } else if (a.kind == ActionKind::Join) {
    FP_ASSERT(a.value < g.thread.size() && g.thread[a.value].now, "who is joined should exist");
    const auto& th = g.thread[a.value];
    FP_ASSERT(th.now->action.kind == ActionKind::End, "who is joined should have ended");
    g[f.event].joined = th.last != none ? th.last : th.spawned_by;
    g[f.event].value = th.now->action.value;
  }
  compute_rows(g, f.event, options_.model);
  if (a.kind == ActionKind::Free) {
    note_late(f.event, *g[f.event].at);
    judge_access(f.event);
  }
  answer(f.event);
  if (a.kind == ActionKind::Join) judge_join(f.event);
  return Step::Applied;
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_choose(Frame& f) {
  Graph<W>& g = graph();
  while (!f.revisiting && static_cast<std::int64_t>(f.choice) <= static_cast<std::int64_t>(f.high)) {
    g[f.event].value = f.choice;
    f.revisiting = f.choice == f.high; // nothing after the last, even where adding one would wrap around
    ++f.choice;
    if (!symmetry_.canonical(g, f.event)) continue;
    f.applied = true;
    compute_rows(g, f.event, options_.model);
    answer(f.event);
    return Step::Applied;
  }
  return Step::Exhausted;
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_read(Frame& f) {
  Graph<W>& g = graph();
  if (f.applied) {
    f.applied = false;
    if (f.last_resort) {
      g.unmake_waiting(f.event, none);
      return Step::Exhausted;
    }
    unsettle_read(f.event);
  }
  while (f.cursor != none) {
    if (const Id w = next_source(f); w != none && apply_source(f, w)) return Step::Applied;
    if (one_at_a_time) return Step::Pushed;
  }
  return wait_instead(f) ? Step::Applied : Step::Exhausted;
}

// The next write that the read may see: from the coherence-last one back to the floor.
template <unsigned W> Id Engine<W>::next_source(Frame& f) {
  if (without_coherence(options_.model)) return next_source_weakly(f);
  const Graph<W>& g = graph();
  const Event& v = g[f.event];
  if (v.at->action.barrier) return next_source_at_barrier(f);
  const Id w = f.cursor;
  FP_ASSERT(w == initial || g.location[v.location].writes.test(g.bit(w)), "a source should have a place in coherence");
  f.cursor = Consistency<W>::is_floor(g, w, v.location, consistency_.view(g, f.event)) ? none : g[w].co_before;
  return !waits(v.at->action.part) || serves(f, w) ? w : none;
}

template <unsigned W> bool Engine<W>::apply_source(Frame& f, Id w) {
  Graph<W>& g = graph();
  FP_ASSERT(g.order.back() == f.event, "who gets a source should be the last event");
  g.set_reads_from(f.event, w);
  settle_read(f.event);
  const bool nowhere = leads_nowhere(f.event);
  if (nowhere) judge_cut(f.event);
  if (nowhere || !consistency_.accepts_read(g, f.event) || hopeless() || !symmetry_.canonical(g, f.event)) {
    unsettle_read(f.event);
    return false;
  }
  f.applied = true;
  judge_access(f.event);
  return true;
}

// Whether the thread of read r blocks after it for nothing. Where r does not see the newest write, no revisit can ever
// take r back: every graph from here on has this run, which a shorter one stands for, or which would look again.
template <unsigned W> bool Engine<W>::leads_nowhere(Id r) const {
  const Graph<W>& g = graph();
  const Event& v = g[r];
  if (has_blocks_ || without_coherence(options_.model)) return false;
  const auto& th = g.thread[v.thread];
  return (th.now->action.silent || looked_twice(th)) && v.reads_from != g.coherence_last(v.location);
}

// Gives a read the value of its write, its mode and its rows, and moves its thread on, where it does not wait.
template <unsigned W> void Engine<W>::settle_read(Id r) {
  Graph<W>& g = graph();
  Event& v = g[r];
  FP_ASSERT(v.reads_from != none, "a read that is settled should have a source");
  FP_ASSERT(v.po_after == none, "nothing should follow a read that is settled");
  v.value = value_of(v.reads_from, v.location);
  const Action& a = v.at->action;
  if (without_coherence(options_.model) && !states_.machine().satisfied(v.at->state, a, v.value)) {
    v.pinned = true;
    g.thread[v.thread].waits = r;
  } else {
    answer(r);
  }
  if (a.part == Part::Cas) v.mode = g.thread[v.thread].now->state.write_pending ? a.mode : a.failure;
  compute_rows(g, r, options_.model);
  stop_after_attempt(r);
}

// Undoes it.
template <unsigned W> void Engine<W>::unsettle_read(Id r) {
  Graph<W>& g = graph();
  FP_ASSERT(!g[r].waiting, "a marker should be unmade, not unsettled");
  FP_ASSERT(g[r].po_after == none, "nothing should follow a read that is unsettled");
  g.clear_reads_from(r);
  g[r].pinned = false;
  g.thread[g[r].thread].waits = none;
  g.thread[g[r].thread].now = g[r].at;
}

// Puts the write of a frame at its next place in coherence; false where there is none left.
template <unsigned W> bool Engine<W>::next_place(Frame& f) {
  if (without_coherence(options_.model)) return only_place_weakly(f);
  Graph<W>& g = graph();
  const Event& v = g[f.event];
  const Id only = v.is_update() ? g[g.read_of_update(f.event)].reads_from : none;
  const Set view = consistency_.view(g, f.event);
  const Set other = f.revisited != none ? consistency_.view(g, f.revisited) : Set{};
  while (f.cursor != none) {
    const Id before = f.cursor;
    FP_ASSERT(before != f.event, "no write should stand after itself");
    const bool floor =
        Consistency<W>::is_floor(g, before, v.location, view) || Consistency<W>::is_floor(g, before, v.location, other);
    f.cursor = floor ? none : g[before].co_before;
    if (only != none && before != only) continue;
    if (g.taken_by_update(before, v.location)) continue;
    g.place(f.event, before);
    f.applied = true;
    return true;
  }
  return false;
}

template <unsigned W> void Engine<W>::undo_place(Frame& f) {
  if (f.applied) graph().displace(f.event);
  f.applied = false;
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_write(Frame& f) {
  if (!f.revisiting) {
    undo_place(f);
    while (next_place(f)) {
      if (consistency_.accepts_write(graph(), f.event) && !hopeless() && symmetry_.canonical(graph(), f.event)) {
        judge_access(f.event);
        return Step::Applied;
      }
      undo_place(f);
      if (one_at_a_time) return Step::Pushed;
    }
    f.revisiting = true;
    if (!graph()[f.event].at->action.barrier) f.revisits = revisitable(f.event);
    FP_ASSERT(!f.revisits.meets(graph().prefix_of(f.event)), "nobody before a write should be made to read from it");
  }
  const unsigned next = f.revisits.first();
  if (next == Set::capacity) return Step::Exhausted;
  f.revisits.reset(next);
  push_revisit(f.event, static_cast<Id>(next));
  return Step::Pushed;
}

template <unsigned W> void Engine<W>::retract(Frame& f) {
  Graph<W>& g = graph();
  switch (f.kind) {
  case Kind::Stuck:
    g.thread[f.thread].stuck = false;
    return;
  case Kind::Base:
    FP_ASSERT(depth_ > 0, "a revisit should have a level of its own");
    use_level(depth_ - 1);
    return;
  case Kind::Plain:
    if (g[f.event].kind == ActionKind::Spawn && f.applied) g.thread[g[f.event].value] = {};
    break;
  case Kind::Read:
    if (f.applied && f.last_resort)
      g.unmake_waiting(f.event, none);
    else if (f.applied)
      unsettle_read(f.event);
    g.retract(f.event);
    g.thread[f.thread].waits = f.waited;
    return;
  case Kind::Write:
    undo_place(f);
    break;
  case Kind::Choose:
    break;
  }
  g.retract(f.event);
}

// --- revisits --------------------------------------------------------------------------------------------------------

// Whether e was added as the canonical run would have added it, seen from a write before which `kept` must be there
// (see docs/how/exploration.md).
template <unsigned W> bool Engine<W>::maximal(Id e, const Set& kept) {
  const Graph<W>& g = graph();
  const Event& v = g[e];
  FP_ASSERT(!v.is_marker(), "a marker should never be asked whether it is canonical");
  const auto previous = [&](Id d) { return g[d].stamp <= v.stamp || kept.test(g.bit(d)); };
  if (v.kind == ActionKind::Choose) return v.value == v.at->action.value;
  if ((!v.is_read() && !v.is_write()) || v.at->action.barrier) return true;
  if (v.is_write() && g.readers_of(e, v.location).some([&](unsigned r) { return previous(static_cast<Id>(r)); }))
    return false;
  if (v.is_write() && pinned_on(g, e, previous)) return false;
  if (without_coherence(options_.model))
    return v.is_write() || v.reads_from == consistency_.canonical_source(g, e, previous);
  Id newest = g.coherence_last(v.location);
  while (newest >= 0 && !previous(newest))
    newest = g[newest].co_before;
  return newest == (v.is_write() ? e : v.reads_from);
}

// The reads that may read from a instead. pre: a is the last event and has no place in coherence.
template <unsigned W> typename Engine<W>::Set Engine<W>::revisitable(Id a) {
  const Graph<W>& g = graph();
  FP_ASSERT(g.order.back() == a && g[a].is_write(), "a write that revisits should be the last event");
  FP_ASSERT(g[a].co_before == none, "a write that revisits should have no place in coherence");
  const Set kept = symmetry_.prefix(g, a);
  FP_ASSERT(!(g.prefix_of(a) - kept).any(), "what is kept should have all that is before the write");
  const Location l = g[a].location;
  Set found, candidates = g.location[l].reads - kept;
  candidates |= pinned_waits(g, l);
  for (auto at = g.order.rbegin(); at != g.order.rend() && candidates.any(); ++at) {
    const Id e = *at;
    if (e == a || kept.test(g.bit(e))) continue;
    candidates.reset(g.bit(e));
    const Event& v = g[e];
    if (v.is_marker()) continue;
    if (!maximal(e, kept)) break;
    if (v.is_read() && v.location == l) found.set(g.bit(e));
  }
  return found;
}

// Removes every event added after r that is not before a, newest first.
template <unsigned W> void Engine<W>::erase_after(Graph<W>& g, Id r, Id a) {
  const Set kept = symmetry_.prefix(g, a);
  FP_ASSERT(!kept.test(g.bit(r)), "a read that is revisited should not be before the write");
  const std::uint32_t since = g[r].stamp;
  for (auto at = g.order.rbegin(); at != g.order.rend(); ++at) {
    const Id e = *at;
    const Event& v = g[e];
    if (v.stamp <= since) break;
    if (e == a || kept.test(g.bit(e))) continue;
    auto& th = g.thread[v.thread];
    th.stuck = false;
    if (v.waiting) {
      if (th.waits == e) th.waits = v.waited;
    } else {
      if (v.is_read()) {
        g.clear_reads_from(e);
        th.waits = v.waited;
      }
      if (v.is_write()) g.displace(e);
      if (v.kind == ActionKind::Spawn) g.thread[v.value] = {};
    }
    g.unlink(e);
  }
  std::erase_if(g.order, [&](Id e) { return !g.used.test(g.bit(e)); });
  for (const Id e : g.order) // its number may be given to another event
    if (g[e].waited != none && !g.used.test(g.bit(g[e].waited))) g[e].waited = none;
}

// Opens a new level: the graph in which r reads from a, without what r's old choice led to.
template <unsigned W> void Engine<W>::push_revisit(Id a, Id r) {
  FP_ASSERT(!graph()[r].is_marker(), "a marker should not be revisited: it is asked again");
  FP_ASSERT(graph()[r].location == graph()[a].location, "a write should revisit reads of its location");
  use_level(depth_ + 1);
  Graph<W>& g = graph();
  g = *graphs_[depth_ - 1];
  for (auto& th : g.thread)
    th.stuck = false;
  erase_after(g, r, a);
  if (g[r].waiting)
    g.unmake_waiting(r, none);
  else
    unsettle_read(r);
  Frame f{};
  f.kind = Kind::Base;
  f.event = a;
  f.thread = g[r].thread;
  f.revisited = r;
  f.cursor = g.coherence_last(g[a].location);
  const Event& v = g[r];
  FP_ASSERT(g.thread[f.thread].last == r, "nothing of its thread should be left after a read that is revisited");
  FP_ASSERT(g.used.test(g.bit(a)) && g.used.test(g.bit(r)), "a revisit should keep both that it is about");
  g.thread[f.thread].now = v.at;
  f.last_resort =
      !without_coherence(options_.model) && !states_.machine().satisfied(v.at->state, v.at->action, g[a].value);
  frames_.push_back(f);
}

template <unsigned W> void Engine<W>::undo_base(Frame& f) {
  if (!f.applied) return;
  Graph<W>& g = graph();
  if (f.last_resort)
    g.unmake_waiting(f.revisited, none);
  else
    unsettle_read(f.revisited);
  undo_place(f);
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_base(Frame& f) {
  Graph<W>& g = graph();
  FP_ASSERT(f.revisited != none && g[f.revisited].is_read(), "a revisit should be about a read");
  undo_base(f);
  while (next_place(f)) {
    if (f.last_resort) {
      if (pin(f)) return Step::Applied;
    } else {
      g.set_reads_from(f.revisited, f.event);
      settle_read(f.revisited);
      if (!leads_nowhere(f.revisited) && consistency_.accepts_write(g, f.event) &&
          consistency_.accepts_read(g, f.revisited) && !hopeless() && symmetry_.canonical(g, f.event) &&
          symmetry_.canonical(g, f.revisited)) {
        judge_access(f.revisited);
        return Step::Applied;
      }
      unsettle_read(f.revisited);
    }
    undo_place(f);
    if (one_at_a_time) return Step::Pushed;
  }
  return Step::Exhausted;
}

} // namespace fencepost
