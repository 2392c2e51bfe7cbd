// How an Engine gets from one choice to the next: which thread moves, and what its next event is. Every point of choice
// is a frame; frames are undone in reverse order, and a revisit opens a graph of its own.
#pragma once

#include "explore/engine.hpp"
#include "graph/validate.hpp"

#include <algorithm>

namespace fencepost {

namespace detail {

// Whether psc knows this instruction.
inline bool orders_totally(const Instruction& i) {
  if (i.opcode == Opcode::Fence) return full_fence(static_cast<FenceKind>(i.sub));
  return i.opcode >= Opcode::Load && i.opcode <= Opcode::BlockingCas &&
         (i.mode == Mode::Sc || (i.opcode == Opcode::Cas && i.failure == Mode::Sc));
}

} // namespace detail

template <unsigned W>
Engine<W>::Engine(LocalStates& states, const ExploreOptions& options, Results& results)
    : states_(states), options_(options), results_(results),
      consistency_(options.model, detail::uses(states, detail::orders_totally)), reporter_(states, options, results),
      blocks_(options.model), own_hb_(own_happens_before(options.model)),
      has_non_atomics_(detail::uses(states, detail::is_plain_access)),
      has_blocks_(detail::uses(states, [](const Instruction& i) { return i.opcode == Opcode::AtomicBegin; })),
      has_barriers_(detail::uses(states, [](const Instruction& i) { return i.flags & flag::barrier; })),
      has_sections_(options.sections && !has_blocks_ && !without_coherence(options.model)),
      leaves_out_(options.machine.shortcuts && !has_blocks_ && !without_coherence(options.model)),
      undone_(states.undone() && states.undone()->ordered() ? states.undone() : nullptr),
      symmetry_(states, options, !has_blocks_) {
  use_level(0);
}

template <unsigned W> Engine<W>::~Engine() = default;

template <unsigned W> void Engine<W>::use_level(std::size_t depth) {
  FP_ASSERT(depth <= graphs_.size(), "levels should come one after the other");
  while (graphs_.size() <= depth)
    graphs_.push_back(std::make_unique<Graph<W>>());
  depth_ = depth;
}

template <unsigned W> void Engine<W>::begin() {
  Graph<W>& g = graph();
  FP_REQUIRE(g.order.empty() && frames_.empty(), "an exploration should begin with an empty graph");
  const Bytecode& p = states_.machine().program();
  g.thread.resize(p.threads.size());
  for (std::uint32_t t = 0; t < p.threads.size(); ++t)
    g.thread[t].now = states_.first(t, p.threads[t].function, p.threads[t].args);
  g.location.resize(states_.locations().count());
  symmetry_.begin(g);
}

template <unsigned W> Progress Engine<W>::run(const Budget& budget) {
  const std::uint64_t goal = budget.executions;
  const std::uint64_t start = results_.executions + results_.blocked;
  for (;; ++tick_) {
    if ((tick_ & ticks_between_looks<W>) == 0 && budget.spent()) return Progress::Paused;
    if ((tick_ & 0xFFF) == 0 && states_.bytes() > options_.cache_bytes) collect_states();
    if (reporter_.failed()) return Progress::Failed;
    if (descend_ && !push_next()) {
      if (full_) return full_ = false, Progress::Full;
      complete();
      descend_ = false;
      if (results_.executions + results_.blocked - start >= goal)
        return frames_.empty() ? Progress::Done : Progress::Paused;
    }
    if (frames_.empty()) return Progress::Done;
    switch (advance(frames_.back())) {
    case Step::Applied:
      if constexpr (checks_everything) validate(graph());
      results_.choices += frames_.back().kind != Kind::Plain;
      descend_ = true;
      break;
    case Step::Pushed:
      descend_ = false;
      break;
    case Step::Exhausted:
      retract(frames_.back());
      frames_.pop_back();
      FP_ASSERT(graph().order.size() == graph().used.count(), "each event should be in the order once");
      descend_ = false;
      break;
    }
  }
}

template <unsigned W> bool Engine<W>::can_move(const typename Graph<W>::Thread& th) {
  const Graph<W>& g = graph();
  FP_ASSERT(th.now != nullptr, "who may move should exist");
  const Action& a = th.now->action;
  switch (a.kind) {
  case ActionKind::End:
  case ActionKind::Block:
    return false;
  case ActionKind::Join:
    return can_join(static_cast<std::uint32_t>(std::min<std::uint64_t>(a.value, g.thread.size())));
  case ActionKind::Read:
    return th.waits == none || asked_again(th);
  default:
    return true;
  }
}

// The first thread that can move, but a read-modify-write that has read goes before everything.
template <unsigned W> int Engine<W>::movable_thread() {
  Graph<W>& g = graph();
  int first = -1;
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    const auto& th = g.thread[t];
    if (!th.now || th.stuck) continue;
    if (!th.now->action.rmw && (first >= 0 || !can_move(th))) continue;
    if (looked_twice(th) || is_late(th)) continue;
    if (th.now->action.rmw) return static_cast<int>(t);
    first = static_cast<int>(t);
  }
  return first;
}

// Adds the next event, if there is one, as a frame without an alternative applied yet.
template <unsigned W> bool Engine<W>::push_next() {
  const int chosen = movable_thread();
  if (chosen < 0) return false;
  const auto t = static_cast<std::uint32_t>(chosen);
  if (faulty(t)) return true;
  Graph<W>& g = graph();
  if (g.location.size() < states_.locations().count()) g.location.resize(states_.locations().count());
  constexpr std::size_t capacity = Bits<many>::capacity; // rows hold no more, whatever the user asked for
  const std::size_t most = std::min<std::size_t>(options_.max_events, capacity);
  if (g.order.size() >= most) {
    push_stuck(t);
    const std::string message = "an execution has too many events: more than " + std::to_string(most) +
                                (most < capacity ? " (--max-events)" : ", the most that is kept");
    reporter_.report(g, ErrorKind::EventBound, message, g.thread[t].now->action.position, static_cast<std::int32_t>(t),
                     {});
    return true;
  }
  FP_ASSERT(!g.thread[t].stuck, "who is stuck should not move");
  const Id e = g.append(t, own_hb_);
  if (e == none) return full_ = true, false;
  judge_barrier(e);
  Frame f{};
  f.event = e;
  f.thread = t;
  switch (g[e].kind) {
  case ActionKind::Read:
    f.kind = Kind::Read;
    f.cursor = g.coherence_last(g[e].location);
    f.waited = g.thread[t].waits;
    FP_ASSERT(f.waited == none || g[f.waited].is_marker(), "who is asked again should have a marker");
    g[e].waited = f.waited;
    g.thread[t].waits = none;
    break;
  case ActionKind::Write:
    f.kind = Kind::Write;
    f.cursor = g.coherence_last(g[e].location);
    compute_rows(g, e, options_.model);
    note_late(e, *g[e].at);
    answer(e);
    stop_after_attempt(e);
    break;
  case ActionKind::Choose:
    f.kind = Kind::Choose;
    f.choice = g[e].at->action.value;
    f.high = g[e].at->action.high;
    FP_ASSERT(static_cast<std::int64_t>(f.choice) <= static_cast<std::int64_t>(f.high), "a choice should have a value");
    break;
  default:
    push_plain(t, e);
    return true;
  }
  frames_.push_back(f);
  return true;
}

template <unsigned W> void Engine<W>::push_plain(std::uint32_t t, Id e) {
  Frame f{};
  f.kind = Kind::Plain;
  f.event = e;
  f.thread = t;
  frames_.push_back(f);
}

template <unsigned W> void Engine<W>::push_stuck(std::uint32_t t) {
  FP_ASSERT(t < graph().thread.size() && !graph().thread[t].stuck, "a thread should get stuck once");
  graph().thread[t].stuck = true;
  Frame f{};
  f.kind = Kind::Stuck;
  f.thread = t;
  frames_.push_back(f);
}

} // namespace fencepost
