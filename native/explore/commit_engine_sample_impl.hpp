// Samples of the tree that CommitEngine::run walks, for estimates: the nodes are the graphs of its stack.
#pragma once

#include "explore/commit_engine.hpp"

namespace fencepost {

template <unsigned W> bool CommitEngine<W>::add_frontier(const Budget& budget) {
  for (; spare_ < stack_.size(); ++spare_) {
    if (budget.spent()) return false;
    frontier_.add(top(), stratum(top()));
  }
  if (active_) frontier_.add(current_, stratum(current_));
  active_ = false;
  return true;
}

// What is newest in coherence is what the canonical choice would have taken, most of the time.
template <unsigned W> Stratum CommitEngine<W>::stratum(const G& g) const {
  Stratum s;
  s.events = static_cast<std::uint32_t>(g.order.size());
  bool newest = true;
  for (auto at = g.order.rbegin(); at != g.order.rend() && s.others < Stratum::most_others; ++at) {
    const SplitEvent& v = g[*at];
    Id after = none;
    if (v.is_read() && v.reads_from != none) after = g.coherence_after(v.reads_from, v.location);
    if (v.is_write() && v.co_before != none) after = v.co_after;
    const bool canonical = after == none || g[after].stamp > v.stamp;
    newest &= canonical;
    s.run += newest;
    s.others = static_cast<std::uint8_t>(s.others + !canonical);
  }
  for (const auto& th : g.thread) {
    if (!th.begin) continue;
    if (th.halted) s.flags |= 4;
    if (th.now->action.rmw) s.flags |= 1;
    for (const Id e : th.slot)
      s.holes = static_cast<std::uint16_t>(s.holes + (e == none));
  }
  return s;
}

// Adds the children of a graph, or tells how it ends; false where a graph outgrows the width or the budget is spent: a
// loop may go on for thousands of events without a choice.
template <unsigned W>
bool CommitEngine<W>::expand(const G& node, typename Population<G>::Level& children, Sample& leaf,
                             const Budget& budget) {
  current_ = node;
  while (!budget.spent()) {
    const std::uint64_t executions = results_.executions, blocked = results_.blocked;
    bool goes_on = false;
    if (!extend_in_time(budget, goes_on) || full_) return false;
    if (goes_on && stack_.size() == spare_) continue; // there was no choice
    for (; spare_ < stack_.size(); ++spare_)
      children.add(top(), stratum(top()));
    if (goes_on) children.add(current_, stratum(current_));
    leaf.executions = static_cast<double>(results_.executions - executions);
    leaf.blocked = static_cast<double>(results_.blocked - blocked);
    return true;
  }
  return false;
}

template <unsigned W> std::optional<Sample> CommitEngine<W>::sample(Sampling& how, const Budget& budget) {
  full_ = false;
  const auto found = population_.run(frontier_, how, [&](const G& node, auto& children, Sample& leaf) {
    return expand(node, children, leaf, budget);
  });
  spare_ = stack_.size();
  return found;
}

} // namespace fencepost
