// The definition of CommitEngine, included once per width: one graph, and what is found.
#pragma once

#include "explore/commit_engine.hpp"
#include "explore/reporter_impl.hpp"
#include "graph/validate.hpp"

#include <algorithm>

namespace fencepost {

template <unsigned W>
CommitEngine<W>::CommitEngine(LocalStates& states, const ExploreOptions& options, Results& results, const Plan& plan)
    : states_(states), options_(options), results_(results),
      rules_(options.commit_order, states.machine().dependencies()),
      known_(options.commit_order, states.machine().dependencies()), plan_(plan), reporter_(states, options, results) {}

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
    if ((tick_ & 0x7) == 0 && budget.stopped()) return Progress::Paused;
    if ((tick_ & 0xFF) == 0) {
      if (std::chrono::steady_clock::now() >= budget.deadline) return Progress::Paused;
      if (states_.bytes() > options_.cache_bytes) collect_states();
    }
    if (reporter_.failed()) return Progress::Failed;
    if (!active_) {
      if (stack_.size() == spare_) return Progress::Done;
      std::swap(current_, stack_[stack_.size() - 1 - spare_]);
      ++spare_;
      active_ = true;
    }
    if (!extend()) active_ = false;
    if constexpr (checks_everything)
      if (active_ && !full_) validate(current_);
    if (full_) return full_ = false, Progress::Full;
    if (results_.executions + results_.blocked - start >= budget.executions && !active_ && stack_.size() != spare_)
      return Progress::Paused;
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
  if (full && W < widest_by_plan) return full_ = true;
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

// An error ends its thread. It is told at once where nothing is missing before any event; else at the end, where it is
// sure that there is such an execution.
template <unsigned W> bool CommitEngine<W>::faulty(std::uint32_t t) {
  G& g = current_;
  if (!reporter_.fault(g, t)) return false;
  g.thread[t].halted = true;
  if (whole_threads(g) && consistent(g)) report_fault(g, t);
  return true;
}

template <unsigned W> bool CommitEngine<W>::whole_threads(const G& g) const {
  return std::none_of(g.thread.begin(), g.thread.end(),
                      [&](const auto& th) { return th.begin && !th.halted && has_hole(th); });
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
  th.halted = false;
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

// Lets r read from w. pre: r is missing nothing po-before it.
template <unsigned W> void CommitEngine<W>::settle_read(G& g, Id r, Id w, const Needs<W>& needs) {
  FP_ASSERT(w == initial || g[w].is_write(), "what is read should be a write");
  FP_ASSERT(!(needs.always - g.used).any(), "what a read needs should be there");
  g.set_reads_from(r, w);
  SplitEvent& v = g[r];
  v.value = value_of(g, w, v.location);
  v.stuck = !states_.machine().satisfied(v.at->state, v.action(), v.value);
  const bool own = w >= 0 && g[w].thread == v.thread && g[w].slot < v.slot;
  Set direct = needs.always;
  if (!own) direct |= needs.outside;
  FP_ASSERT(w < 0 || own || g[w].commit != none, "what is read from another thread should be committed");
  if (w >= 0) direct.set(g.bit(own && !rules_.waits_for_commit(g, w, v.action()) ? w : g[w].commit));
  g.prefix_of(r) = row(g, direct);
  g.judged = false;
}

template <unsigned W> Id CommitEngine<W>::read(G& g, std::uint32_t t, Id w, const Needs<W>& needs) {
  LocalState* now = g.thread[t].now;
  const Id r = g.add(t, now->state.events, now, Half::Whole);
  FP_REQUIRE(r != none, "room for a read should have been looked for");
  g[r].failed_cas = g.compares(r);
  settle_read(g, r, w, needs);
  for (std::size_t k = g[r].slot + 1; k < g.thread[t].slot.size(); ++k) // a write that did not wait for its read
    if (const Id e = g.thread[t].slot[k]; e != none && g[e].is_write()) {
      const Action& a = g[e].action();
      if ((a.rmw && k == g[r].slot + 1) || a.conditional == static_cast<std::int32_t>(g[r].slot)) g.pair_up(r, e);
    }
  pass(g, t);
  return r;
}

template <unsigned W> bool CommitEngine<W>::add_read(std::uint32_t t) {
  G& g = current_;
  LocalState* now = g.thread[t].now;
  const Location l = now->location;
  const Needs<W> needs = needs_of(g, t);
  const Set kept = row(g, needs.always | needs.outside);
  const bool hole = has_hole(g.thread[t]);
  Id best = g.coherence_last(l);
  if (hole) { // what it would read by its canonical choice depends on what comes after it
    scratch_ = g;
    const Id r = scratch_.add(t, now->state.events, now, Half::Whole);
    best = canonical_source(scratch_, r, scratch_.used);
  }
  const Set known = newer_than_known(g, t, now->state.events, now->action, kept);
  for (Id w = g.coherence_last(l);; w = g[w].co_before) {
    if (w != best && states_.machine().satisfied(now->state, now->action, value_of(g, w, l))) {
      G& other = fork(g);
      read(other, t, w, needs);
      keep_if_possible();
    }
    if (w == initial || known.test(g.bit(w)) || keeps_order(g, w, l, t, now->state.events, kept)) break;
  }
  const bool sure = surely_fits(g, t, now->state.events);
  read(g, t, best, needs);
  return sure || possible(g);
}

// What an access may not be older than, besides: the model forbids it among events that stay with it. Where something
// is there after it in its thread, another than the canonical choice may still become canonical: nothing is known.
template <unsigned W>
Bits<W> CommitEngine<W>::newer_than_known(const G& g, std::uint32_t t, std::uint32_t slot, const Action& a,
                                          const Set& kept) {
  if (!nothing_after(g, t, slot + 1)) return {};
  return known_.of(g, t, slot, a, kept);
}

// Whether coherence forbids what this slot of a thread does to be older than w, by events that stay with it.
template <unsigned W>
bool CommitEngine<W>::keeps_order(const G& g, Id w, Location l, std::uint32_t thread, std::uint32_t slot,
                                  const Set& kept) const {
  if (w == initial) return true;
  if (g[w].thread == thread && g[w].slot < slot && g.commits(kept, w)) return true;
  return g.readers_of(w, l).some([&](unsigned r) {
    const SplitEvent& v = g.event[r];
    return v.thread == thread && v.slot < slot && !v.stuck && kept.test(r);
  });
}

// Whether the canonical choice for a slot of a thread is sure to be allowed: see docs/how/power.md. Where it is wrong
// the end of the graph tells: work is wasted, nothing else.
template <unsigned W> bool CommitEngine<W>::surely_fits(const G& g, std::uint32_t t, std::size_t slot) const {
  const CommitOrder o = options_.commit_order;
  if (o == CommitOrder::Weakest) return false;
  if ((o == CommitOrder::Imm || o == CommitOrder::Armv7) && !g.fits) return false;
  return nothing_after(g, t, slot);
}

template <unsigned W> bool CommitEngine<W>::nothing_after(const G& g, std::uint32_t t, std::size_t slot) const {
  const auto& slots = g.thread[t].slot;
  return std::none_of(slots.begin() + static_cast<std::ptrdiff_t>(std::min(slot, slots.size())), slots.end(),
                      [](Id e) { return e != none; });
}

// Every place of write a in coherence but one, each in a graph of its own. pre: it has none.
template <unsigned W> void CommitEngine<W>::place_everywhere(const G& from, Id a, Id except) {
  const SplitEvent& v = from[a];
  FP_ASSERT(v.co_before == none, "a write that is put everywhere should have no place");
  FP_ASSERT(v.commit != none, "a write that is put into coherence should be committed");
  const Set& kept = from.prefix_of(v.commit);
  const Id source = v.action().rmw && v.pair != none ? from[v.pair].reads_from : none;
  const Id only = source != none && from.committed(source) ? source : none; // else it may come to lie anywhere
  const Set known = newer_than_known(from, v.thread, v.slot, v.action(), kept);
  for (Id w = from.coherence_last(v.location);; w = from[w].co_before) {
    if (w != except && (only == none || only == w)) {
      G& other = fork(from);
      other.place(a, w);
      keep_if_possible();
    }
    if (w == initial || known.test(from.bit(w)) || keeps_order(from, w, v.location, v.thread, v.slot, kept)) return;
  }
}

template <unsigned W> bool CommitEngine<W>::add_write(std::uint32_t t) {
  G& g = current_;
  LocalState* now = g.thread[t].now;
  const std::uint32_t slot = now->state.events;
  const Needs<W> needs = needs_of(g, t);
  Id a = g.at_slot(t, slot);
  if (a == none || g[a].half == Half::Outcome) {
    const Id outcome = a;
    const Set data = row(g, needs.always);
    a = g.add(t, slot, now, Half::Whole);
    g[a].outcome = outcome;
    g.prefix_of(a) = data;
    const Action& act = now->action;
    const Id pair = act.rmw                ? g.at_slot(t, slot - 1)
                    : act.conditional >= 0 ? g.at_slot(t, static_cast<std::size_t>(act.conditional))
                                           : none;
    if (pair != none) g.pair_up(pair, a);
  }
  Set direct = needs.commit;
  direct.set(g.bit(a));
  if (g[a].pair != none) direct.set(g.bit(g[a].pair));
  const Set before = row(g, direct);
  const Id m = g.add(t, slot, now, Half::Commit);
  FP_REQUIRE(m != none, "room for a commit should have been looked for");
  FP_ASSERT(g[a].commit == none, "a write should be committed once");
  g[m].write = a;
  g[a].commit = m;
  g.prefix_of(m) = before;
  const bool sure = !now->action.rmw && now->action.conditional < 0 && surely_fits(g, t, slot + 1);
  pass(g, t);
  const Id best = canonical_place(g, a, g.used);
  place_everywhere(g, a, best);
  revisit_all(g, a);
  g.place(a, best);
  return sure || possible(g);
}

// Whether a store-conditional succeeds, or a compare-exchange will; that it fails is the canonical choice.
template <unsigned W> bool CommitEngine<W>::add_outcome(std::uint32_t t, std::uint32_t slot) {
  G& g = current_;
  G& writes = fork(g);
  writes[add_event(writes, t, slot, Half::Outcome)].value = 1;
  const Id e = add_event(g, t, slot, Half::Outcome);
  g[e].value = 0;
  pass(g, t);
  return true;
}

template <unsigned W> bool CommitEngine<W>::add_choice(std::uint32_t t) {
  G& g = current_;
  const Action& a = g.thread[t].now->action;
  for (auto value = static_cast<std::int64_t>(a.high); value > static_cast<std::int64_t>(a.value); --value) {
    G& other = fork(g);
    other[add_event(other, t)].value = static_cast<std::uint64_t>(value);
    pass(other, t);
  }
  add_event(g, t);
  pass(g, t);
  return true;
}

template <unsigned W> bool CommitEngine<W>::add_other(std::uint32_t t) {
  G& g = current_;
  const Action a = g.thread[t].now->action;
  LocalState* at = g.thread[t].now;
  const bool hole = has_hole(g.thread[t]);
  const Id e = add_event(g, t);
  if (a.kind == ActionKind::Spawn) {
    const std::uint32_t child = states_.spawned(t, g[e].slot);
    const auto args = states_.machine().spawn_arguments(at->state);
    if (g.thread.size() <= child) g.thread.resize(child + 1);
    g.thread[child] = {};
    g.thread[child].begin = g.thread[child].now = states_.first(child, static_cast<std::uint32_t>(a.value), args);
    g.thread[child].spawned_by = e;
    g[e].value = child;
  } else if (a.kind == ActionKind::Join) {
    FP_ASSERT(g.thread[a.value].now->action.kind == ActionKind::End, "who is joined should have ended");
    g[e].value = g.thread[a.value].now->action.value;
  }
  pass(g, t);
  return !hole || possible(g);
}

// --- what is found ---------------------------------------------------------------------------------------------------

template <unsigned W> void CommitEngine<W>::complete() {
  G& g = current_;
  bool all_ended = true, error = false;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    if (!g.thread[t].begin) continue;
    all_ended &= g.thread[t].now->action.kind == ActionKind::End;
    error |= met_error(g, t);
  }
  if (!consistent(g)) {
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
  g.judged = false; // the evaluator should hold this graph
  const bool fits = consistent(g);
  FP_REQUIRE(fits, "a graph that is explored should be consistent");
  plan_.raised([&](std::int32_t index, unsigned first, unsigned second) {
    if (!options_.plan.checks[static_cast<std::size_t>(index)].race) {
      results_.flags.insert(index);
      return;
    }
    const Id a = structure_.event_at(first), b = structure_.event_at(second);
    const Id last = b == none || (a != none && g[a].stamp > g[b].stamp) ? a : b;
    if (!options_.races || last == none) return;
    reporter_.report(g, ErrorKind::Race, "data race", g[last].action().position,
                     static_cast<std::int32_t>(g[last].thread), {a == last ? b : a, last});
  });
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
}

} // namespace fencepost
