// Samples of the tree that Engine::run walks, for estimates: the nodes are graphs without frames, and the children of a
// node are the graphs after each accepted alternative of its next choice, revisits included.
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

inline constexpr std::size_t most_bytes = 64 << 20; // of a frontier

// Takes every alternative of the frames from `first` on, newest first, without going on from any; then they are gone.
// False where `take` wants no more or the budget is spent.
template <unsigned W>
template <class Take>
bool Engine<W>::take_all(std::size_t first, const Budget& budget, Take&& take) {
  for (; frames_.size() > first; ++tick_) {
    if ((tick_ & ticks_between_looks<W>) == 0 && budget.spent()) return false;
    switch (advance(frames_.back())) {
    case Step::Applied:
      if (!take(graph())) return false;
      break;
    case Step::Pushed:
      break;
    case Step::Exhausted:
      retract(frames_.back());
      frames_.pop_back();
    }
  }
  return true;
}

template <unsigned W> bool Engine<W>::add_frontier(const Budget& budget) {
  const auto add = [&](const Graph<W>& g) {
    frontier_.add(g, stratum(g));
    return frontier_.size() * g.bytes() < most_bytes;
  };
  if (descend_) add(graph());
  if (!take_all(0, budget, add)) return false;
  use_level(0);
  graph() = {};
  return descend_ = true;
}

// Whether e stands as the canonical run would have added it, seen from the moment when it came.
template <unsigned W> bool Engine<W>::was_maximal(const Graph<W>& g, Id e) const {
  const Event& v = g[e];
  if (v.kind == ActionKind::Choose) return v.value == v.at->action.value;
  if ((!v.is_read() && !v.is_write()) || v.waiting || v.at->action.barrier) return true;
  if (v.is_write() && g.readers_of(e, v.location).some([&](unsigned r) { return g.event[r].stamp < v.stamp; }))
    return false;
  Id newest = g.coherence_last(v.location);
  while (newest >= 0 && g[newest].stamp > v.stamp)
    newest = g[newest].co_before;
  return newest == (v.is_write() ? e : v.reads_from);
}

template <unsigned W> Stratum Engine<W>::stratum(const Graph<W>& g) const {
  Stratum s;
  s.events = static_cast<std::uint32_t>(g.order.size());
  bool newest = true;
  for (auto at = g.order.rbegin(); at != g.order.rend() && s.others < Stratum::most_others; ++at) {
    const bool maximal = was_maximal(g, *at);
    newest &= maximal;
    s.run += newest;
    s.others = static_cast<std::uint8_t>(s.others + !maximal);
  }
  for (const auto& th : g.thread) {
    if (!th.now) continue;
    if (th.waits != none) s.flags |= 4;
    if (!th.now->action.rmw || th.last == none || !g[th.last].is_read()) continue;
    s.flags |= 1;
    if (g.taken_by_update(g[th.last].reads_from, g[th.last].location)) s.flags |= 2;
  }
  return s;
}

// Adds the children of the graph that is there, or tells how it ends. Steps without a choice are passed in place. False
// where the graph outgrows the width or the budget is spent: a loop may go on for thousands of events without a choice.
template <unsigned W>
bool Engine<W>::expand(typename Population<Graph<W>>::Level& children, Sample& leaf, const Budget& budget) {
  bool spent = false;
  while (!(spent = budget.spent())) {
    if (!push_next()) {
      if (full_) break;
      const std::uint64_t executions = results_.executions, blocked = results_.blocked;
      complete();
      leaf.executions = static_cast<double>(results_.executions - executions);
      leaf.blocked = static_cast<double>(results_.blocked - blocked);
      break;
    }
    const Frame& f = frames_.back();
    if (f.kind != Kind::Plain && f.kind != Kind::Stuck) {
      const auto add = [&](const Graph<W>& g) { return children.add(g, stratum(g)), true; };
      spent = !take_all(frames_.size() - 1, budget, add);
      break;
    }
    if (advance(frames_.back()) != Step::Applied) break;
  }
  frames_.clear();
  return !full_ && !spent;
}

template <unsigned W> std::optional<Sample> Engine<W>::sample(Sampling& how, const Budget& budget) {
  full_ = false;
  return population_.run(frontier_, how, [&](const Graph<W>& node, auto& children, Sample& leaf) {
    graph() = node;
    return expand(children, leaf, budget);
  });
}

} // namespace fencepost
