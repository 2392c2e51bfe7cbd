// Knuth's estimator (Estimating the efficiency of backtrack programs, 1975) on the tree that Engine::run walks: go down
// once, take one of the alternatives of every choice at random, and multiply their numbers. The product, counted 0
// where the way ends in a graph that is no execution, has the number of executions as its mean.
#pragma once

#include "explore/engine.hpp"
namespace fencepost {

// Counts the alternatives of a choice that was just pushed, and leaves it as it was. A write's are its places in
// coherence, then the reads that may be revisited.
template <unsigned W> double Engine<W>::count_alternatives(Frame& f, Set& revisits) {
  const Frame fresh = f;
  double count = 0;
  if (f.kind == Kind::Choose)
    return static_cast<double>(static_cast<std::int64_t>(f.high)) -
           static_cast<double>(static_cast<std::int64_t>(f.choice)) + 1;
  if (f.kind == Kind::Write) {
    while (next_accepted_place(f))
      ++count;
    revisits = revisitable(f.event);
    count += revisits.count();
  } else {
    while (advance(f) == Step::Applied)
      ++count;
  }
  f = fresh;
  return count;
}

// Applies the k-th of them.
template <unsigned W> void Engine<W>::take_alternative(Frame& f, std::uint64_t k, Set& revisits) {
  if (f.kind == Kind::Choose) {
    f.choice += k;
  } else if (f.kind == Kind::Write) {
    while (k > 0 && next_accepted_place(f))
      --k;
    if (next_accepted_place(f)) return;
    for (f.revisiting = true; k > 0; --k)
      revisits.reset(revisits.first());
    f.revisits = revisits;
  } else {
    for (; k > 0; --k)
      advance(f);
  }
  advance(f);
}

template <unsigned W> std::optional<Probe> Engine<W>::probe(Random& random, const Budget& budget) {
  double weight = 1;
  bool stopped = false;
  for (unsigned tick = 0; !stopped; ++tick) {
    stopped = tick % 8 == 0 && budget.stopped();
    const bool revisit = !frames_.empty() && frames_.back().kind == Kind::Base && !frames_.back().applied;
    if (!revisit && !push_next()) break;
    Frame& f = frames_.back();
    if (f.kind == Kind::Plain || f.kind == Kind::Stuck) {
      if (advance(f) == Step::Applied) continue;
      weight = 0;
      break;
    }
    Set revisits;
    const double count = count_alternatives(f, revisits);
    weight *= count;
    if (budget.weight) budget.weight->store(weight, std::memory_order_relaxed);
    if (count == 0) break;
    take_alternative(f, std::uniform_int_distribution<std::uint64_t>(0, static_cast<std::uint64_t>(count) - 1)(random),
                     revisits);
  }
  const std::uint64_t executions = results_.executions, blocked = results_.blocked;
  if (weight > 0 && !full_ && !stopped) complete();
  Probe found{results_.executions > executions ? weight : 0, results_.blocked > blocked ? weight : 0};
  for (; !frames_.empty(); frames_.pop_back())
    retract(frames_.back());
  descend_ = true;
  if (full_ || stopped) return full_ = false, std::nullopt;
  return found;
}

} // namespace fencepost
