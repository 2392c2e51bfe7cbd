// Critical sections in an Engine: where two sections of a mutex do not conflict, nobody can see which came first. So of
// the orders that differ in nothing else only the one is explored in which threads with lower numbers go first: a
// thread that could have had its section earlier, before one of a thread with a higher number, stops where it would
// unlock; others go on, and where nothing moves the graph is dropped.
//
// Whether it stops depends only on what is (po, rf)-before it. It is as if the thread knew who wrote what it reads, and
// ended by an assume: the search stays exact. And an execution that is dropped is one of a disciplined program:
// sections are not nested, end in their thread and wait for nothing, and whatever two threads access, one of them
// writing, is accessed in sections of one mutex or ordered by starting and joining threads and by sections that
// conflict. Where a graph shows anything else the reduction is given up, and the exploration begins again without it
// (docs/how/reductions.md).
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
  const auto is_other = [&](Id e) {
    const ActionKind kind = g[e].kind;
    return kind == ActionKind::Free || kind == ActionKind::Spawn || kind == ActionKind::Join;
  };
  Set theirs;
  for (Id y = b.last;; y = g[y].po_before) {
    if (is_other(y)) return true;
    theirs.set(g.bit(y));
    if (y == b.first) break;
  }
  for (Id x = a.last;; x = g[x].po_before) {
    if (is_other(x)) return true;
    if (g[x].location != no_location && g[x].location != g[a.first].location) {
      const auto& l = g.location[g[x].location];
      if (((g[x].is_write() ? l.writes | l.reads : l.writes) & theirs).any()) return true;
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
  const Location mutex = th.now->location;
  if (next.kind != ActionKind::Write || next.rmw || mutex >= g.location.size()) return false; // or met by nobody yet
  const Id newest = g.coherence_last(mutex); // that of who has the mutex: nobody else writes it
  if (newest < 0 || g[newest].thread != g[th.last].thread || !g[newest].is_update()) return false;
  const Section mine{g.read_of_update(newest), th.last};
  if (!g[mine.first].at->action.lock) return false;
  const Set before = prefix_before(g, mine.first) - th.events;
  for (Id end = g[mine.first].reads_from; end >= 0;) {
    const Section theirs{taken_by(g, g[end].po_before, mutex), g[end].po_before};
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

// For each event what comes before it in whatever order sections without a conflict come: by program order, starting
// and joining threads, and conflicts between sections of one mutex. All of that is in (po, rf), so an event has more
// before it there than those that come before it.
template <unsigned W>
std::vector<Bits<W>> Engine<W>::in_every_order(const Graph<W>& g, const std::vector<Location>& held) {
  std::vector<std::pair<unsigned, Id>> sorted;
  for (const Id e : g.order)
    if (!g[e].waiting) sorted.emplace_back(g.prefix_of(e).count(), e);
  std::sort(sorted.begin(), sorted.end());
  std::vector<Set> before(g.event.size());
  for (const auto& [size, e] : sorted) {
    Set& row = before[static_cast<std::size_t>(e)];
    for (const Id d : {predecessor(g, e), g[e].joined})
      if (d != none) add_with_prefix(row, before, d);
    const Location mutex = held[static_cast<std::size_t>(e)];
    if (mutex == no_location || g[e].location == no_location || g[e].location == mutex) continue;
    const auto& l = g.location[g[e].location];
    const Set others = (g[e].is_write() ? l.writes | l.reads : l.writes) & g.prefix_of(e);
    others.each([&](unsigned d) {
      if (held[d] == mutex) add_with_prefix(row, before, static_cast<Id>(d));
    });
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
    if (before.empty()) before = in_every_order(g, held);
    return before[static_cast<std::size_t>(e)].test(g.bit(d));
  };
  const auto ordered = [&](Id d, Id e) {
    const Location mutex = held[static_cast<std::size_t>(d)];
    return g[d].thread == g[e].thread || (mutex != no_location && mutex == held[static_cast<std::size_t>(e)]) ||
           comes_before(d, e) || comes_before(e, d);
  };
  for (const auto& l : g.location) {
    const bool fine = !l.writes.some([&](unsigned w) {
      const Set others = (l.writes | l.reads) - g.thread[g.event[w].thread].events;
      return others.some([&](unsigned e) { return !ordered(static_cast<Id>(w), static_cast<Id>(e)); });
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
