// Critical sections in an Engine: where two sections of a mutex do not conflict, nobody can see which came first. So of
// the orders that differ in nothing else only the one is explored in which threads with lower numbers go first: a
// thread that could have had its section earlier, before one of a thread with a higher number, stops where it would
// unlock; others go on, and where nothing moves the graph is dropped.
//
// Whether it stops depends only on what is (po, rf)-before it. It is as if the thread knew who wrote what it reads, and
// ended by an assume: the search stays exact. And an execution that is dropped is one of a disciplined program:
// sections are not nested, end in their thread and wait for nothing, and whatever two threads access, one of them
// writing, is accessed in sections of one mutex or ordered by starting and joining threads. Where a graph shows
// anything else the reduction is given up, and the exploration begins again without it (docs/how/reductions.md).
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

template <unsigned W> void Engine<W>::give_up_sections() {
  results_.irregular = true;
  reporter_.give_up();
}

// The read that took the mutex, where event `last` of a thread is in a section of it; else `none`.
template <unsigned W> Id Engine<W>::taken_by(const Graph<W>& g, Id last, Location mutex) const {
  for (Id e = last; e != none; e = g[e].po_before) {
    if (!g[e].is_write() || g[e].location != mutex) continue;
    const Id read = g[e].is_update() ? g.read_of_update(e) : none;
    return read != none && g[read].at->action.lock ? read : none;
  }
  return none;
}

// Whether two sections, each from the read that took the mutex to its last event, conflict.
template <unsigned W> bool Engine<W>::conflict(const Graph<W>& g, Section a, Section b) const {
  const auto touches = [&](Id e) { return g[e].location != no_location && g[e].location != g[a.first].location; };
  const auto is_other = [&](Id e) {
    const ActionKind kind = g[e].kind;
    return kind == ActionKind::Free || kind == ActionKind::Spawn || kind == ActionKind::Join;
  };
  for (Id x = a.last;; x = g[x].po_before) {
    for (Id y = b.last;; y = g[y].po_before) {
      if (is_other(x) || is_other(y)) return true;
      if (touches(x) && g[x].location == g[y].location && (g[x].is_write() || g[y].is_write())) return true;
      if (y == b.first) break;
    }
    if (x == a.first) return false;
  }
}

// Whether a thread is about to unlock, and could have had its section before one of a thread with a higher number: none
// from that one on conflicts with it, and all that other threads had to do before it was done by then.
template <unsigned W> bool Engine<W>::is_late(const typename Graph<W>::Thread& th) const {
  const Graph<W>& g = graph();
  if (!has_sections_ || th.last == none) return false;
  const Action& next = th.now->action;
  if (next.kind != ActionKind::Write || next.rmw || th.now->location == no_location) return false;
  const Section mine{taken_by(g, th.last, th.now->location), th.last};
  if (mine.first == none) return false;
  const Set before = prefix_before(g, mine.first) - th.events;
  for (Id end = g[mine.first].reads_from; end >= 0;) {
    const Section theirs{taken_by(g, g[end].po_before, th.now->location), g[end].po_before};
    if (theirs.first == none || g[theirs.first].thread == g[th.last].thread) return false;
    if ((before - g.prefix_of(theirs.first)).any() || conflict(g, mine, theirs)) return false;
    if (g[th.last].thread < g[theirs.first].thread) return true;
    end = g[theirs.first].reads_from;
  }
  return false;
}

template <unsigned W> bool Engine<W>::somebody_is_late() const {
  return has_sections_ && std::any_of(graph().thread.begin(), graph().thread.end(),
                                      [&](const auto& th) { return th.now && is_late(th); });
}

// Notes which mutex a thread holds at each of its events; false where it does in a section what it should not, or waits
// for something else than a mutex.
template <unsigned W>
bool Engine<W>::keeps_to_sections(const Graph<W>& g, std::uint32_t t, std::vector<Location>& held) const {
  Location mutex = no_location;
  for (const Id e : g.order_of(t)) {
    const Event& v = g[e];
    const bool takes = v.is_read() && v.at->action.lock;
    if (takes && mutex != no_location) return false;
    if (v.is_read() && waits(v.at->action.part) && !takes) return false;
    if (takes) mutex = v.location;
    held[static_cast<std::size_t>(e)] = mutex;
    if (mutex == no_location) continue;
    if (v.kind == ActionKind::Spawn || v.kind == ActionKind::Join) return false;
    if (v.is_write() && !v.is_update() && v.location == mutex) mutex = no_location;
  }
  const Action& next = g.thread[t].now->action;
  if (next.kind == ActionKind::Read && waits(next.part)) return next.lock && mutex == no_location;
  const bool ends = next.kind == ActionKind::End || next.kind == ActionKind::Block || next.kind == ActionKind::Spawn ||
                    next.kind == ActionKind::Join;
  return mutex == no_location || !ends;
}

// For each event what comes before it by program order, starting and joining threads.
template <unsigned W> std::vector<Bits<W>> Engine<W>::by_starting_and_joining(const Graph<W>& g) {
  std::vector<Set> before(g.event.size());
  for (const Id e : g.order) {
    if (g[e].waiting) continue;
    for (const Id d : {predecessor(g, e), g[e].joined})
      if (d != none) add_with_prefix(before[static_cast<std::size_t>(e)], before, d);
  }
  return before;
}

// Whether a graph is that of a disciplined execution.
template <unsigned W> bool Engine<W>::disciplined(const Graph<W>& g) const {
  std::vector<Location> held(g.event.size(), no_location);
  for (std::uint32_t t = 0; t < g.thread.size(); ++t)
    if (g.thread[t].now && !keeps_to_sections(g, t, held)) return false;
  std::vector<Set> before; // made where it is asked for
  const auto comes_before = [&](Id d, Id e) {
    if (before.empty()) before = by_starting_and_joining(g);
    return before[static_cast<std::size_t>(e)].test(g.bit(d));
  };
  const auto ordered = [&](Id d, Id e) {
    const Location mutex = held[static_cast<std::size_t>(d)];
    return g[d].thread == g[e].thread || (mutex != no_location && mutex == held[static_cast<std::size_t>(e)]) ||
           comes_before(d, e) || comes_before(e, d);
  };
  for (const auto& l : g.location) {
    const bool fine = !l.writes.some([&](unsigned w) {
      return (l.writes | l.reads).some([&](unsigned e) { return !ordered(static_cast<Id>(w), static_cast<Id>(e)); });
    });
    if (!fine) return false;
  }
  return std::all_of(g.order.begin(), g.order.end(),
                     [&](Id e) { return g[e].kind != ActionKind::Free || frees_in_order(g, e, ordered); });
}

// What is freed is accessed under the same mutex, or ordered.
template <unsigned W> template <class F> bool Engine<W>::frees_in_order(const Graph<W>& g, Id f, F&& ordered) const {
  const std::uint64_t freed = g[f].at->action.address;
  const Allocation* found = freed ? reporter_.allocation_of(g, freed) : nullptr;
  return std::all_of(g.order.begin(), g.order.end(), [&](Id e) {
    const Event& v = g[e];
    const bool touches = v.kind == ActionKind::Free || ((v.is_read() || v.is_write()) && !v.waiting);
    if (!touches || !found || v.at->action.address - found->address >= std::max<std::uint64_t>(found->size, 1))
      return true;
    return ordered(f, e);
  });
}

} // namespace fencepost
