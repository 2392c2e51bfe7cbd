// The definition of CommitEngine, included once per width: the stack of graphs, whose turn it is in one of them, and
// threads that pass over events.
#pragma once

#include "explore/commit_engine.hpp"
#include "graph/validate.hpp"

#include <algorithm>

namespace fencepost {

template <unsigned W>
CommitEngine<W>::CommitEngine(LocalStates& states, const ExploreOptions& options, Results& results, const Plan& plan)
    : states_(states), options_(options), results_(results),
      rules_(options.commit_order, states.machine().dependencies(), options.pieces),
      known_(options.commit_order, states.machine().dependencies(), options.pieces), plan_(plan),
      reporter_(states, options, results),
      has_blocks_(detail::uses(states, [](const Instruction& i) { return i.opcode == Opcode::AtomicBegin; })) {
  if (options.tuned && !has_blocks_ && has_tuned_judge(plan))
    tuned_.emplace(options.commit_order, states.machine().dependencies());
}

template <unsigned W> CommitEngine<W>::~CommitEngine() = default;

// The judges know no flags but IMM's of races, and that of IMM no exclusives.
template <unsigned W> bool CommitEngine<W>::has_tuned_judge(const Plan& plan) const {
  if (options_.commit_order != CommitOrder::Imm) return !plan.has_flags();
  const auto known = [](const Plan::Check& c) { return !c.flag || c.race; };
  return std::all_of(plan.checks.begin(), plan.checks.end(), known) &&
         !detail::uses(states_, [](const Instruction& i) { return i.opcode == Opcode::StoreConditional; });
}

template <unsigned W> void CommitEngine<W>::begin() {
  const Bytecode& p = states_.machine().program();
  G& g = fork(G{});
  g.thread.resize(p.threads.size());
  for (std::uint32_t t = 0; t < p.threads.size(); ++t)
    g.thread[t].begin = g.thread[t].now = states_.first(t, p.threads[t].function, p.threads[t].args);
}

template <unsigned W> Progress CommitEngine<W>::run(const Budget& budget) {
  const std::uint64_t start = results_.executions + results_.blocked;
  for (;; ++tick_) {
    if ((tick_ & ticks_between_looks<W>) == 0 && budget.spent()) return Progress::Paused;
    if ((tick_ & 0xFF) == 0 && states_.bytes() > options_.cache_bytes) collect_states();
    if (reporter_.failed()) return Progress::Failed;
    if (!active_) {
      if (stack_.size() == spare_) return Progress::Done;
      std::swap(current_, stack_[stack_.size() - 1 - spare_]);
      ++spare_;
      active_ = true;
    }
    if (!extend_in_time(budget, active_)) return Progress::Paused;
    if constexpr (checks_everything)
      if (active_ && !full_) validate(current_);
    if (full_) return full_ = false, Progress::Full;
    if (results_.executions + results_.blocked - start >= budget.executions && !active_ && stack_.size() != spare_)
      return Progress::Paused;
  }
}

// Extends the current graph; false where the budget was spent amid that. Then the graph is what it was, and no
// alternative is left.
template <unsigned W> bool CommitEngine<W>::extend_in_time(const Budget& budget, bool& goes_on) {
  const std::size_t depth = stack_.size() - spare_;
  budget_ = &budget;
  try {
    goes_on = extend();
  } catch (const Interrupted&) {
    spare_ = stack_.size() - depth;
    plan_.emplace(options_.plan); // it was amid something
    structure_.forget();
    if (tuned_) tuned_->forget();
    budget_ = nullptr;
    return false;
  }
  budget_ = nullptr;
  return true;
}

// The same as `possible` for a graph whose alternatives are on the stack: where the budget is spent it goes on, and is
// judged with its next event.
template <unsigned W> bool CommitEngine<W>::still_possible(G& g) {
  try {
    return possible(g);
  } catch (const Interrupted&) {
    g.fits = g.judged = false;
    return true;
  }
}

// A copy of a graph on top of the stack, in memory that an older graph left.
template <unsigned W> SplitGraph<W>& CommitEngine<W>::fork(const G& from) {
  if (spare_ == 0) {
    stack_.push_back(from);
    return stack_.back();
  }
  FP_ASSERT(spare_ <= stack_.size(), "memory that is spare should be there");
  G& g = stack_[stack_.size() - spare_];
  --spare_;
  g = from;
  return g;
}

// --- one graph -------------------------------------------------------------------------------------------------------

// Adds one event to the current graph; false where it is finished or cannot lead to an execution.
template <unsigned W> bool CommitEngine<W>::extend() {
  G& g = current_;
  if (g.location.size() < states_.locations().count()) g.location.resize(states_.locations().count());
  const bool full = g.order.size() + g.location.size() + 4 > Set::capacity;
  if (full && W != many) return full_ = true;
  const bool bounded = g.order.size() >= options_.max_events && shown_events(g) >= options_.max_events;
  if (full || bounded) {
    const std::string most =
        bounded ? std::to_string(options_.max_events) + " (--max-events)"
                : std::to_string(Set::capacity) +
                      " with memory locations, and stores as two, the most that is kept under this model";
    reporter_.report(g, ErrorKind::EventBound, "an execution has too many events: more than " + most, 0, -1, {});
    return false;
  }
  const int t = next_thread();
  if (t < 0) {
    complete();
    return false;
  }
  if (faulty(static_cast<std::uint32_t>(t))) return true;
  return step(static_cast<std::uint32_t>(t));
}

template <unsigned W> std::size_t CommitEngine<W>::shown_events(const G& g) const {
  return static_cast<std::size_t>(std::count_if(g.order.begin(), g.order.end(), [&](Id e) { return !g[e].hidden; }));
}

template <unsigned W> bool CommitEngine<W>::can_move(const G& g, const typename G::Thread& th) const {
  if (!th.begin || th.halted) return false;
  const Action& a = th.now->action;
  if (a.kind == ActionKind::End || a.kind == ActionKind::Block) return false;
  if (a.kind != ActionKind::Join) return true;
  if (a.value >= g.thread.size() || !g.thread[a.value].begin) return true; // an error, told when it is its turn
  const Action& other = g.thread[a.value].now->action;                     // exit() never comes back
  return !g.thread[a.value].halted && other.kind == ActionKind::End && !other.process;
}

// Whether something is missing before an event that is there, or of an event that is there in part.
template <unsigned W> bool CommitEngine<W>::has_hole(const typename G::Thread& th) const {
  for (std::size_t k = th.now->state.events; k < th.slot.size(); ++k)
    if (th.slot[k] != none) return true;
  return false;
}

// The second half of a read-modify-write; else a hole; else whatever comes. It depends on the graph only, not on how it
// came about.
template <unsigned W> int CommitEngine<W>::next_thread() const {
  const G& g = current_;
  int first = -1, hole = -1;
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    const auto& th = g.thread[t];
    if (!can_move(g, th)) continue;
    const auto number = static_cast<std::uint32_t>(t);
    const Id there = g.at_slot(number, th.now->state.events);
    if (th.now->action.rmw && (there == none || g[there].half == Half::Outcome)) return static_cast<int>(t);
    if (hole < 0 && has_hole(th)) hole = static_cast<int>(t);
    if (first < 0) first = static_cast<int>(t);
  }
  return hole >= 0 ? hole : first;
}

// An error ends its thread. It is told at once where nothing is missing before any event and nobody is amid an atomic
// block, whose rest others may have made impossible; else at the end, where it is sure that there is such an execution.
// At the end, too, where the model looks at final states.
template <unsigned W> bool CommitEngine<W>::faulty(std::uint32_t t) {
  G& g = current_;
  const ActionKind kind = g.thread[t].now->action.kind;
  if (kind == ActionKind::AtomicBegin || kind == ActionKind::AtomicEnd) return false;
  if (!reporter_.fault(g, t)) return false;
  g.thread[t].halted = true;
  try {
    if (!options_.by_end() && whole_threads(g) && consistent(g)) report_fault(g, t);
  } catch (const Interrupted&) {
    g.thread[t].halted = false;
    throw;
  }
  return true;
}

template <unsigned W> bool CommitEngine<W>::whole_threads(const G& g) const {
  return std::none_of(g.thread.begin(), g.thread.end(), [&](const auto& th) {
    return th.begin && !th.halted && (has_hole(th) || th.now->state.blocks > 0);
  });
}

template <unsigned W> void CommitEngine<W>::report_fault(G& g, std::uint32_t t) {
  g.thread[t].told = true;
  const auto fault = reporter_.fault(g, t);
  FP_REQUIRE(fault.has_value(), "a thread that met an error should be at it");
  std::vector<Id> blame;
  for (const Id e : g.thread[t].slot)
    if (e != none && g.shown(e)) blame.assign(1, e);
  reporter_.report(g, fault->kind, fault->message, g.thread[t].now->action.position, static_cast<std::int32_t>(t),
                   blame);
}

template <unsigned W> bool CommitEngine<W>::step(std::uint32_t t) {
  const Action& a = current_.thread[t].now->action;
  const std::uint32_t slot = current_.thread[t].now->state.events;
  switch (a.kind) {
  case ActionKind::Read:
    if (a.part == Part::Cas && current_.at_slot(t, slot + 1) == none && foreseen(*current_.thread[t].now))
      return add_outcome(t, slot + 1);
    return add_read(t);
  case ActionKind::Write:
    if (a.conditional >= 0 && a.may_fail && current_.at_slot(t, slot) == none) return add_outcome(t, slot);
    return add_write(t);
  case ActionKind::Choose:
    return add_choice(t);
  default:
    return add_other(t);
  }
}

template <unsigned W> Id CommitEngine<W>::add_event(G& g, std::uint32_t t, std::uint32_t slot, Half half) {
  LocalState* now = g.thread[t].now;
  FP_ASSERT(now != nullptr, "who makes an event should be somewhere");
  const Set direct = rules_.of(g, t, slot, *now, half).always;
  FP_ASSERT(!(direct - g.used).any(), "what an event needs should be there");
  const Id e = g.add(t, slot, now, half);
  FP_REQUIRE(e != none, "room for an event should have been looked for");
  g.prefix_of(e) = row(g, direct);
  return e;
}

// Moves a thread over the events that are there, up to the first that is missing or not committed.
template <unsigned W> void CommitEngine<W>::pass(G& g, std::uint32_t t) {
  auto& th = g.thread[t];
  th.halted = th.told = false;
  for (;;) {
    const Id e = g.at_slot(t, th.now->state.events);
    if (e == none || th.now->action.kind == ActionKind::End) return;
    FP_ASSERT(g[e].thread == t, "a slot should hold an event of its thread");
    meet(g, e, th.now);
    const SplitEvent& v = g[e];
    if (v.is_write() && v.commit == none) return;
    if (v.half == Half::Outcome && v.value) return;
    if (v.stuck) {
      th.halted = true;
      return;
    }
    th.now = after(g, e, th.now);
  }
}

// Whether a compare-exchange is one whose success is told before it has read.
template <unsigned W> bool CommitEngine<W>::foreseen(const LocalState& at) const {
  return std::binary_search(options_.foreseen.begin(), options_.foreseen.end(), at.state.pc);
}

// The thread after an event. A compare-exchange that was foreseen comes out as that says, whatever it reads: where that
// is something else the graph is no execution, but what depends only on what it read goes on as it should.
template <unsigned W> LocalState* CommitEngine<W>::after(const G& g, Id e, LocalState* at) {
  const SplitEvent& v = g[e];
  const Id o = v.is_read() && g.compares(e) ? g.outcome_at(v.thread, v.slot + 1) : none;
  return states_.next(o == none ? at : states_.told(at, g[o].value != 0), v.is_write() ? 1 : v.value);
}

// Whether every compare-exchange that has read comes out as it was foreseen. Where something is missing before it, what
// it compares with is not known.
template <unsigned W> bool CommitEngine<W>::as_foreseen(const G& g) {
  return std::all_of(g.order.begin(), g.order.end(), [&](Id e) {
    const SplitEvent& v = g[e];
    if (!v.is_read() || !g.compares(e) || g.thread[v.thread].now->state.events <= v.slot) return true;
    const Id o = g.outcome_at(v.thread, v.slot + 1);
    return o == none || succeeds(v.at, v.value) == (g[o].value != 0);
  });
}

// The thread comes to event e again: it is what it was, but that a comparison may come out otherwise.
template <unsigned W> void CommitEngine<W>::meet(G& g, Id e, LocalState* now) {
  SplitEvent& v = g[e];
  const Action& a = now->action;
  if (v.half == Half::Outcome && a.rmw) return; // it was met with the read
  FP_ASSERT(v.action().kind == a.kind && v.action().address == a.address, "a kept event should not change");
  FP_ASSERT(!v.is_write() || v.action().value == a.value, "a kept write should not change");
  v.at = now;
  if (v.is_read() && a.part == Part::Cas) {
    const bool writes = after(g, e, now)->action.rmw;
    [[maybe_unused]] const Id write = g.at_slot(v.thread, v.slot + 1);
    FP_ASSERT(writes || write == none || g[write].half == Half::Outcome, "a write should have its reason");
    v.mode = writes ? a.mode : a.failure;
  }
}

} // namespace fencepost
