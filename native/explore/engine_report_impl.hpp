// What an Engine does with what it finds; most of it is the Reporter's.
#pragma once

#include "explore/engine.hpp"
#include "explore/reporter_impl.hpp"

namespace fencepost {

template <unsigned W> void Engine<W>::complete() {
  if (without_coherence(options_.model)) return complete_without_coherence();
  const Graph<W>* judged = has_blocks_ ? blocks_.judged(graph()) : &graph();
  if (!judged || (has_blocks_ && sees_abandoned(*judged))) return;
  const Graph<W>& g = *judged;
  for (const auto& th : g.thread) {
    // A revisit may leave a thread waiting on a write that others have overtaken since. That is a step on the way to
    // other executions, and nothing that a thread can be stuck in.
    if (th.waits == none) continue;
    const bool newest = g[th.waits].reads_from == g.coherence_last(g[th.waits].location);
    assert((newest || g[th.waits].pinned) && "who waits should be asked again after a newer write");
    if (!newest) return;
  }
  if (has_blocks_) report_at_the_end(g);
  tell(g);
}

template <unsigned W> void Engine<W>::tell(const Graph<W>& g) {
  bool all_ended = true, stuck = false;
  for (const auto& th : g.thread) {
    if (!th.now) continue;
    all_ended &= th.now->action.kind == ActionKind::End;
    stuck |= th.stuck;
  }
  if (stuck)
    ++results_.erroneous;
  else if (all_ended)
    reporter_.complete(g);
  else
    reporter_.blocked(g);
}

// Without a coherence order a thread that waits may read again whatever it may read: it waits for ever if none of that
// serves it.
template <unsigned W> bool Engine<W>::waits_for_ever(Id r) {
  Graph<W>& g = graph();
  const Event& v = g[r];
  const Id seen = v.reads_from;
  const auto read = [&](Id w) {
    g.clear_reads_from(r);
    g.set_reads_from(r, w);
    compute_rows(g, r, options_.model);
  };
  const auto serves = [&](Id w) {
    if (!states_.machine().satisfied(v.at->state, v.at->action, value_of(w, v.location))) return false;
    const bool taken = updates(v.at->action.part) && g.readers_of(w, v.location).some([&](unsigned o) {
      const Id next = g.event[o].po_after;
      return next != none && g[next].is_update();
    });
    read(w);
    return !taken && consistency_.accepts_weakly(g);
  };
  bool served = serves(initial);
  for (Id w = g.location[v.location].first; w != none && !served; w = g[w].co_after)
    served = serves(w);
  read(seen);
  return !served;
}

// Whatever a thread that waits has read, it is the same execution: it is told where each read the canonical write.
template <unsigned W> void Engine<W>::complete_without_coherence() {
  const Graph<W>& g = graph();
  const auto all = [](Id) { return true; };
  for (const auto& th : g.thread)
    if (th.waits != none && g[th.waits].reads_from != consistency_.canonical_source(g, th.waits, all)) return;
  for (const auto& th : g.thread)
    if (th.waits != none && !waits_for_ever(th.waits)) return;
  tell(g);
}

// Whether somebody reads from a block that a failed assume has ended: such a block never took place.
template <unsigned W> bool Engine<W>::sees_abandoned(const Graph<W>& g) const {
  for (const auto& th : g.thread) {
    if (!th.now || !th.now->action.assumed() || !th.now->state.blocks) continue;
    for (Id e = th.last; g[e].kind != ActionKind::AtomicBegin; e = g[e].po_before)
      if (g[e].is_write() && !(g.readers_of(e, g[e].location) - th.events).none()) return true;
  }
  return false;
}

// What is wrong with an access that was just added. With atomic blocks it is known only at the end.
template <unsigned W> void Engine<W>::judge_access(Id e) {
  if (has_blocks_) return;
  if (graph()[e].kind != ActionKind::Free) report_races(e);
  reporter_.memory(graph(), e);
}

// Definition 3.10 of the RCMC paper: conflicting accesses of which one is non-atomic, unordered by happens-before.
template <unsigned W> void Engine<W>::report_races(Id e) {
  if (!has_non_atomics_ || !own_hb_ || !options_.races) return;
  const Graph<W>& g = graph();
  const Event& v = g[e];
  const auto& l = g.location[v.location];
  Set others = v.is_write() ? l.writes | l.reads : l.writes;
  others -= g.hb_of(e);
  others.reset(g.bit(e));
  others.some([&](unsigned d) {
    const Event& u = g.event[d];
    if (u.thread == v.thread || (u.mode != Mode::Na && v.mode != Mode::Na)) return false;
    if (u.is_read() && u.reads_from == e) return false; // it was revisited by e: judged there
    reporter_.report(g, ErrorKind::Race, "data race", v.at->action.position, static_cast<std::int32_t>(v.thread),
                     {static_cast<Id>(d), e});
    return true;
  });
}

// Forgets the thread states that no graph on the stack needs.
template <unsigned W> void Engine<W>::collect_states() {
  std::vector<LocalState*> live;
  for (std::size_t k = 0; k <= depth_; ++k) {
    const Graph<W>& g = *graphs_[k];
    for (const auto& th : g.thread)
      if (th.now) live.push_back(th.now);
    for (const Id e : g.order)
      live.push_back(g[e].at);
  }
  states_.collect(live);
}

} // namespace fencepost
