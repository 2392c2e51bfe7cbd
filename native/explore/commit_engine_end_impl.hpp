// The definition of CommitEngine, continued: where a graph ends, and what is found there.
#pragma once

#include "explore/commit_engine.hpp"

namespace fencepost {

template <unsigned W> void CommitEngine<W>::complete() {
  G& g = current_;
  bool all_ended = true, error = false;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    if (!g.thread[t].begin) continue;
    all_ended &= g.thread[t].now->action.kind == ActionKind::End;
    error |= met_error(g, t);
  }
  if (!consistent(g) || !ends_well(g)) {
    ++results_.dead_ends;
    return;
  }
  for (std::uint32_t t = 0; t < g.thread.size(); ++t)
    if (met_error(g, t) && !g.thread[t].told) report_fault(g, t);
  if (reporter_.has_heap) check_memory(g);
  if (options_.plan.has_flags()) raise_flags(g);
  if (error) {
    ++results_.erroneous;
    return;
  }
  if (all_ended) return reporter_.complete(g);
  // A thread that waits looks again: of the graphs that differ in what it saw in vain, one counts.
  for (const Id e : g.order)
    if (g[e].stuck && g.coherence_after(g[e].reads_from, g[e].location) != none) return;
  reporter_.blocked(g);
}

// The flags that the model raises: those about races are errors of the program, the others are told.
template <unsigned W> void CommitEngine<W>::raise_flags(G& g) {
  if (tuned_) {
    const auto [a, b] = tuned_->race(g);
    FP_ASSERT(std::pair(a, b) == race_anew(g), "a tuned judge should find the races of the plan");
    return report_race(g, a, b);
  }
  g.judged = false; // the evaluator should hold this graph
  const bool fits = consistent(g);
  FP_REQUIRE(fits, "a graph that is explored should be consistent");
  plan_->raised([&](std::int32_t index, unsigned first, unsigned second) {
    if (!options_.plan.checks[static_cast<std::size_t>(index)].race)
      results_.flags.insert(index);
    else
      report_race(g, structure_.event_at(first), structure_.event_at(second));
  });
}

// pre: a race is between two accesses of the program, or none.
template <unsigned W> void CommitEngine<W>::report_race(const G& g, Id a, Id b) {
  const Id last = b == none || (a != none && g[a].stamp > g[b].stamp) ? a : b;
  if (!options_.races || last == none) return;
  reporter_.report(g, ErrorKind::Race, "data race", g[last].action().position,
                   static_cast<std::int32_t>(g[last].thread), {a == last ? b : a, last});
}

// The slow twin of a tuned judge's races.
template <unsigned W> std::pair<Id, Id> CommitEngine<W>::race_anew(const G& g) {
  CommitStructure<W, G> structure;
  std::pair<Id, Id> found{none, none};
  if (!structure.build(g, states_.machine().dependencies(), options_.success_dependencies)) return found;
  PlanEvaluator<W> plan(options_.plan);
  if (!plan.consistent(structure.s)) return found;
  plan.raised([&](std::int32_t, unsigned first, unsigned second) {
    found = {structure.event_at(first), structure.event_at(second)};
  });
  return found;
}

// At the end and not as events come: a revisit changes what is known to be before a free.
template <unsigned W> void CommitEngine<W>::check_memory(const G& g) {
  for (const Id e : g.order) {
    const bool touches = g[e].is_read() || g[e].is_write() || g[e].kind == ActionKind::Free;
    if (g.shown(e) && touches && reporter_.memory(g, e)) return;
  }
}

template <unsigned W> void CommitEngine<W>::collect_states() {
  std::vector<LocalState*> live;
  const auto add = [&](LocalState* state) {
    for (; state; state = state->parent)
      live.push_back(state);
  };
  const auto graph = [&](const G& g) {
    for (const auto& th : g.thread)
      add(th.now);
    for (const Id e : g.order)
      add(g[e].at);
  };
  for (std::size_t k = 0; k < stack_.size() - spare_; ++k)
    graph(stack_[k]);
  if (active_) graph(current_);
  states_.collect(live);
  structure_.forget();
  if (tuned_) tuned_->forget();
}

} // namespace fencepost
