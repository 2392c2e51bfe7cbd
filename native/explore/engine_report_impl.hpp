// What an Engine does with what it finds; most of it is the Reporter's.
#pragma once

#include "explore/engine.hpp"
#include "models/races.hpp"

namespace fencepost {

template <unsigned W> void Engine<W>::complete() {
  if (undone_) note_late_ends();
  if (without_coherence(options_.model)) return complete_without_coherence();
  const Graph<W>* judged = has_blocks_ ? blocks_.judged(graph()) : &graph();
  if (has_sections_ && !disciplined(graph())) return give_up_sections();
  if (!judged || (has_blocks_ && sees_abandoned(*judged))) return;
  const Graph<W>& g = *judged;
  for (const auto& th : g.thread) {
    // A revisit may leave a thread waiting on a write that others have overtaken since. That is a step on the way to
    // other executions, and nothing that a thread can be stuck in.
    if (th.waits == none) continue;
    const bool newest = g[th.waits].reads_from == g.coherence_last(g[th.waits].location);
    FP_ASSERT(newest || g[th.waits].pinned, "who waits should be asked again after a newer write");
    if (!newest) return;
  }
  if (has_blocks_) report_at_the_end(g);
  tell(g);
}

template <unsigned W> void Engine<W>::tell(const Graph<W>& g) {
  FP_ASSERT(movable_thread() < 0, "nobody should move where an execution ends");
  if (stands_for_nothing()) return;
  if (somebody_is_late()) {
    ++results_.late;
    return;
  }
  report_attempts_seen();
  if (joins_in_part()) return give_up_symmetry();
  const std::uint64_t before = results_.executions;
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
  if (!symmetry_.on() || results_.executions == before) return;
  const std::uint64_t size = symmetry_.orbit(g);
  results_.representing += std::max<std::uint64_t>(size, 1);
  results_.uncounted += size == 0;
}

template <unsigned W> std::optional<Trouble> Engine<W>::fault(std::uint32_t t) const {
  const Graph<W>& g = graph();
  const Action& a = g.thread[t].now->action;
  if (a.kind == ActionKind::AtomicBegin || a.kind == ActionKind::AtomicEnd) return {};
  const std::optional<Trouble> found = reporter_.fault(g, t);
  const bool access = a.kind == ActionKind::Read || a.kind == ActionKind::Write;
  if (!found && access && (a.part == Part::Exclusive || a.conditional >= 0))
    return Trouble{ErrorKind::Unsupported, "exclusive accesses under a language-level model"};
  return found;
}

template <unsigned W> void Engine<W>::report_fault(const Graph<W>& g, std::uint32_t t, const Trouble& fault) {
  const Id last = g.thread[t].last;
  reporter_.report(g, fault.kind, fault.message, g.thread[t].now->action.position, static_cast<std::int32_t>(t),
                   last == none ? std::vector<Id>{} : std::vector{last});
}

// Whether the next action of a thread cannot be an event; then the thread is stuck, and that is reported. With atomic
// blocks it is known only at the end whether there is such an execution.
template <unsigned W> bool Engine<W>::faulty(std::uint32_t t) {
  const Action& a = graph().thread[t].now->action;
  const bool may_wait = (a.kind == ActionKind::Read && waits(a.part)) || a.kind == ActionKind::Join;
  if (may_wait && graph().thread[t].now->state.blocks) {
    results_.waits_in_block = true; // nobody else could serve it, which is for enumeration to judge
    push_stuck(t);
    return true;
  }
  const std::optional<Trouble> found = fault(t);
  if (!found) return false;
  push_stuck(t);
  if (!has_blocks_) report_fault(graph(), t, *found);
  return true;
}

// Whether somebody reads from a block that a failed assume has ended: such a block never took place.
template <unsigned W> bool Engine<W>::sees_abandoned(const Graph<W>& g) const {
  for (const auto& th : g.thread) {
    if (!th.now || !th.now->action.assumed() || !th.now->state.blocks) continue;
    FP_ASSERT(th.last != none, "who is in a block should have begun it");
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

template <unsigned W> void Engine<W>::report_races(Id e) {
  if (!has_non_atomics_ || !own_hb_ || !options_.races) return;
  const Event& v = graph()[e];
  const Id other = racing(graph(), e);
  if (other != none)
    reporter_.report(graph(), ErrorKind::Race, "data race", v.at->action.position, static_cast<std::int32_t>(v.thread),
                     {other, e});
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
