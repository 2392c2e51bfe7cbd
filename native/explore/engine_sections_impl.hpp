// Critical sections in an Engine: the program was lowered so that a section is an atomic block that knows its mutex,
// and is explored under SC. Blocks that do not conflict have no order, so neither have the sections.
//
// That is exact where every execution is disciplined: sections are not nested, end in their thread and wait for
// nothing, and whatever two threads access, one of them writing, is accessed in sections of one mutex or ordered by
// starting and joining threads. Where a graph shows anything else the reduction is given up, and the exploration begins
// again with the words of the mutexes (docs/how/reductions.md).
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

template <unsigned W> void Engine<W>::give_up_sections() {
  results_.irregular = true;
  reporter_.give_up();
}

// Whether the next action of a thread is one that a disciplined program may do.
template <unsigned W> bool Engine<W>::may_follow(const LocalState& now) const {
  const Action& a = now.action;
  if (!has_sections_) return true;
  if (a.kind == ActionKind::AtomicBegin) return a.lock && !now.state.blocks && layout::region(a.address) == 0;
  if (a.kind == ActionKind::AtomicEnd) return a.lock && now.state.section == a.address;
  const bool stays = a.kind == ActionKind::Spawn || a.kind == ActionKind::Join || a.kind == ActionKind::End ||
                     (a.kind == ActionKind::Read && waits(a.part));
  return !now.state.blocks || !stays;
}

// Whether a whole execution is disciplined. pre: blocks are not broken.
template <unsigned W> bool Engine<W>::disciplined(const Graph<W>& g) const {
  for (const auto& th : g.thread)
    if (th.now && !may_follow(*th.now)) return false;
  std::vector<Set> before(g.event.size()); // by program order, starting and joining
  for (const Id e : g.order) {
    if (g[e].waiting) continue;
    for (const Id d : {predecessor(g, e), g[e].joined})
      if (d != none) add_with_prefix(before[static_cast<std::size_t>(e)], before, d);
  }
  const auto ordered = [&](Id d, Id e) {
    const std::uint64_t held = g[d].at->state.section;
    return g[d].thread == g[e].thread || (held != 0 && held == g[e].at->state.section) ||
           before[static_cast<std::size_t>(e)].test(g.bit(d)) || before[static_cast<std::size_t>(d)].test(g.bit(e));
  };
  for (const auto& l : g.location) {
    const bool fine = !l.writes.some([&](unsigned w) {
      return (l.writes | l.reads).some([&](unsigned e) { return !ordered(static_cast<Id>(w), static_cast<Id>(e)); });
    });
    if (!fine) return false;
  }
  return std::all_of(g.order.begin(), g.order.end(), [&](Id e) {
    if (g[e].kind == ActionKind::Free) return frees_in_order(g, e, ordered);
    return g[e].kind != ActionKind::AtomicBegin || keeps_mutex(g, e, before);
  });
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

// Whether nothing but making and destroying, before and after the section that begins here, touches the word of its
// mutex, and it is unlocked as it was made.
template <unsigned W> bool Engine<W>::keeps_mutex(const Graph<W>& g, Id begin, const std::vector<Set>& before) const {
  constexpr unsigned word = 4, largest = 24;
  const std::uint64_t mutex = g[begin].at->action.address;
  if (initial_value(states_.machine().program(), mutex, word) != 0) return false;
  Id end = begin;
  while (end != none && g[end].kind != ActionKind::AtomicEnd)
    end = g[end].po_after;
  return std::all_of(g.order.begin(), g.order.end(), [&](Id e) {
    const Event& v = g[e];
    const Action& a = v.at->action;
    if (v.waiting || !(v.is_read() || v.is_write())) return true;
    if (a.address + a.size <= mutex || mutex + largest <= a.address) return true;
    if (v.at->state.section != 0 || (v.is_write() && v.value != 0)) return false;
    if (v.thread == g[begin].thread || before[static_cast<std::size_t>(begin)].test(g.bit(e))) return true;
    return end != none && before[static_cast<std::size_t>(e)].test(g.bit(end));
  });
}

} // namespace fencepost
