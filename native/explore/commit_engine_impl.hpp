// The definition of CommitEngine, included once per width.
#pragma once

#include "explore/commit_engine.hpp"
#include "explore/reporter_impl.hpp"
#include "models/commit_before.hpp"

#include <algorithm>

namespace fencepost {

template <unsigned W>
CommitEngine<W>::CommitEngine(LocalStates& states, const ExploreOptions& options, Results& results, const Plan& plan)
    : states_(states), options_(options), results_(results), plan_(plan), reporter_(states, options, results) {}

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
    if (full_) return full_ = false, Progress::Full;
    if (results_.executions + results_.blocked - start >= budget.executions && !active_ && stack_.size() != spare_)
      return Progress::Paused;
  }
}

// A copy of a graph on top of the stack, in memory that an older graph left.
template <unsigned W> CommitGraph<W>& CommitEngine<W>::fork(const G& from) {
  if (spare_ == 0) {
    stack_.push_back(from);
    return stack_.back();
  }
  G& g = stack_[stack_.size() - spare_];
  --spare_;
  g = from;
  return g;
}

// --- one graph -------------------------------------------------------------------------------------------------------

// Adds one event to the current graph; false where it is finished or no longer consistent.
template <unsigned W> bool CommitEngine<W>::extend() {
  G& g = current_;
  if (g.location.size() < states_.locations().count()) g.location.resize(states_.locations().count());
  if (g.order.size() + g.location.size() + 4 > Set::capacity) {
    if (W < widest_by_plan) return full_ = true;
    reporter_.report(g, ErrorKind::EventBound, "an execution has too many events", 0, -1, {});
    return false;
  }
  const int t = movable_thread();
  if (t < 0) {
    complete();
    return false;
  }
  if (faulty(static_cast<std::uint32_t>(t))) return true;
  return step(static_cast<std::uint32_t>(t));
}

template <unsigned W> bool CommitEngine<W>::can_move(const G& g, const typename G::Thread& th) const {
  const Action& a = th.now->action;
  if (a.kind == ActionKind::End || a.kind == ActionKind::Block) return false;
  if (a.kind != ActionKind::Join) return true;
  if (a.value >= g.thread.size() || !g.thread[a.value].begin) return true; // an error, told when it is its turn
  const Action& other = g.thread[a.value].now->action;                     // exit() never comes back
  return !g.thread[a.value].halted && other.kind == ActionKind::End && !other.process;
}

template <unsigned W> int CommitEngine<W>::movable_thread() {
  const G& g = current_;
  int first = -1;
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    const auto& th = g.thread[t];
    if (!th.begin || th.halted) continue;
    if (th.now->action.rmw) return static_cast<int>(t);
    if (first < 0 && can_move(g, th)) first = static_cast<int>(t);
  }
  return first;
}

template <unsigned W> bool CommitEngine<W>::faulty(std::uint32_t t) {
  G& g = current_;
  const auto fault = reporter_.fault(g, t);
  if (!fault) return false;
  g.thread[t].halted = true;
  if (is_phantom(g)) return true; // no execution: the real one comes too
  std::vector<Id> blame;
  for (const Id e : g.thread[t].slot)
    if (e != none && g.shown(e)) blame.assign(1, e);
  reporter_.report(g, fault->kind, fault->message, g.thread[t].now->action.position, static_cast<std::int32_t>(t),
                   blame);
  return true;
}

template <unsigned W> bool CommitEngine<W>::step(std::uint32_t t) {
  const Action& a = current_.thread[t].now->action;
  switch (a.kind) {
  case ActionKind::Read:
    return add_read(t);
  case ActionKind::Write:
    return a.conditional >= 0 ? add_conditional(t) : add_write(t);
  case ActionKind::Choose:
    return add_choice(t);
  default:
    return add_other(t);
  }
}

// Adds the next event of a thread, with what comes before it. pre: the graph has room.
template <unsigned W> Id CommitEngine<W>::add_event(G& g, std::uint32_t t) {
  LocalState* now = g.thread[t].now;
  const Id e = g.add(t, now->state.events, now);
  const Action& a = now->action;
  if (a.kind == ActionKind::Write && a.rmw) g[e].pair = g.at_slot(t, g[e].slot - 1);
  if (a.kind == ActionKind::Write && a.conditional >= 0)
    g[e].pair = g.at_slot(t, static_cast<std::size_t>(a.conditional));
  compute_before(g, e, states_.machine().dependencies(), options_.in_order, options_.success_dependencies);
  compute_commit_prefix(g, e);
  return e;
}

// What the thread of an event was told about it.
template <unsigned W> std::uint64_t CommitEngine<W>::answer_of(const CommittedEvent& v) const {
  if (v.kind == ActionKind::Write) return v.hidden ? 0 : 1;
  return v.value;
}

// Moves a thread over the events that are there, up to the first missing one. What it meets must be what it met before.
template <unsigned W> void CommitEngine<W>::pass(G& g, std::uint32_t t) {
  auto& th = g.thread[t];
  th.halted = false;
  for (;;) {
    const Id e = g.at_slot(t, th.now->state.events);
    if (e == none || th.now->action.kind == ActionKind::End) return;
    const CommittedEvent& v = g[e];
    assert(v.action().kind == th.now->action.kind && v.action().address == th.now->action.address &&
           "a kept event should not change");
    if (v.stuck) {
      th.halted = true;
      return;
    }
    th.now = states_.next(th.now, answer_of(v));
  }
}

template <unsigned W> void CommitEngine<W>::run_again(G& g, std::uint32_t t) {
  if (!g.thread[t].begin) return;
  g.thread[t].now = g.thread[t].begin;
  pass(g, t);
}

// Lets r read from w: value, mode, whether its thread waits, and the place of a write that does not happen.
template <unsigned W> void CommitEngine<W>::settle_read(G& g, Id r, Id w) {
  g.set_reads_from(r, w);
  CommittedEvent& v = g[r];
  v.value = value_of(g, w, v.location);
  const Action& a = v.action();
  v.stuck = !states_.machine().satisfied(v.at->state, a, v.value);
  if (a.part == Part::Cas) {
    const LocalState* after = states_.next(v.at, v.value);
    v.failed_cas = !after->action.rmw;
    v.mode = v.failed_cas ? a.failure : a.mode;
    const std::uint32_t t = v.thread, slot = v.slot + 1;
    if (v.failed_cas) {
      LocalState* at = v.at;
      const Location l = v.location;
      compute_commit_prefix(g, r);
      const Id half = g.add(t, slot, at);
      g.location[l].reads.reset(g.bit(half)); // it looks like the read whose state it shares
      g[half].kind = ActionKind::Write;
      g[half].hidden = true;
      g[half].value = 0;
      compute_before(g, half, states_.machine().dependencies(), options_.in_order, options_.success_dependencies);
      compute_commit_prefix(g, half);
      return;
    }
  }
  compute_commit_prefix(g, r);
}

template <unsigned W> bool CommitEngine<W>::fills_hole(const G& g, std::uint32_t t, std::size_t slot) const {
  for (std::size_t k = slot + 1; k < g.thread[t].slot.size(); ++k)
    if (const Id e = g.thread[t].slot[k]; e != none && !g[e].hidden) return true;
  return false;
}

// Whether coherence forbids a thread to see, or to write before, anything older than w.
template <unsigned W> bool CommitEngine<W>::is_floor(const G& g, Id w, Location l, std::uint32_t thread) const {
  if (w == initial || g[w].thread == thread) return true;
  return g.readers_of(w, l).some([&](unsigned r) { return g.event[r].thread == thread && !g.event[r].stuck; });
}

// The slow twin of `consistent`.
template <unsigned W> bool CommitEngine<W>::consistent_anew(const G& g) {
  CommitStructure<W> structure;
  return !structure.build(g, states_.machine().dependencies(), options_.success_dependencies) ||
         PlanEvaluator<W>(options_.plan).consistent(structure.s);
}

template <unsigned W> bool CommitEngine<W>::consistent(const G& g) {
  if (!structure_.build(g, states_.machine().dependencies(), options_.success_dependencies)) {
    full_ = true;
    return true;
  }
  const bool found = plan_.consistent(structure_.s);
  assert(found == consistent_anew(g) && "what is kept from graph to graph should be what the graph says");
  return found;
}

// Drops the graph on top of the stack where the model forbids it.
template <unsigned W> void CommitEngine<W>::keep_if_consistent() {
  if (!consistent(stack_[stack_.size() - 1 - spare_])) ++spare_;
}

template <unsigned W> bool CommitEngine<W>::add_read(std::uint32_t t) {
  G& g = current_;
  const Location l = g.thread[t].now->location;
  const std::uint32_t slot = g.thread[t].now->state.events;
  const bool hole = fills_hole(g, t, slot);
  const Id last = g.coherence_last(l);
  for (Id w = last;; w = g[w].co_before) {
    if (is_floor(g, w, l, t)) {
      if (w == last) break;
      G& other = fork(g);
      settle_read(other, add_event(other, t), w);
      pass(other, t);
      keep_if_consistent();
      break;
    }
    if (w == last) continue;
    G& other = fork(g);
    settle_read(other, add_event(other, t), w);
    pass(other, t);
    keep_if_consistent();
  }
  settle_read(g, add_event(g, t), last);
  pass(g, t);
  return !hole || consistent(g);
}

// Every place of write a in coherence, each in a graph of its own; the canonical one, which is last, only on request.
template <unsigned W> void CommitEngine<W>::place_everywhere(const G& from, Id a, bool canonical_too) {
  const CommittedEvent& v = from[a];
  // A read-modify-write instruction has one place. A store-conditional may leave room for writes of its own thread:
  // there the model's atomicity decides.
  const Id only = v.action().rmw ? from[v.pair].reads_from : none;
  const Id last = from.coherence_last(v.location);
  for (Id w = last;; w = from[w].co_before) {
    const bool wanted = (only == none || w == only) && (w != last || canonical_too);
    const Id next = from.coherence_after(w, v.location);
    const bool taken = next != none && from[next].action().rmw;
    if (wanted && !taken) {
      G& other = fork(from);
      other.place(a, w);
      keep_if_consistent();
    }
    if (is_floor(from, w, v.location, v.thread)) return;
  }
}

template <unsigned W> bool CommitEngine<W>::add_write(std::uint32_t t) {
  G& g = current_;
  const Id a = add_event(g, t);
  if (g[a].action().rmw && late_operand(g, a)) {
    G& without = fork(g);
    hide_write(without, a, true);
    pass(without, t);
    if (fills_hole(without, t, without[a].slot)) keep_if_consistent();
    g[a].optional = true;
  }
  pass(g, t);
  place_everywhere(g, a, false);
  revisit_all(g, a);
  const Location l = g[a].location;
  const Id last = g.coherence_last(l);
  if (g[a].action().rmw && g[g[a].pair].reads_from != last) return false; // its one place was tried above
  const bool sink = g[a].action().conditional < 0 && !fills_hole(g, t, g[a].slot);
  g.place(a, last);
  return sink || consistent(g);
}

// Turns a write that was just added into one that does not happen.
template <unsigned W> void CommitEngine<W>::hide_write(G& g, Id a, bool phantom) {
  g[a].hidden = true;
  g[a].phantom = phantom;
  g[a].pair = none;
}

// A store-conditional: it fails, which is the canonical choice where it may; or it writes.
template <unsigned W> bool CommitEngine<W>::add_conditional(std::uint32_t t) {
  G& g = current_;
  const bool may_fail = g.thread[t].now->action.may_fail;
  if (!may_fail) return add_write(t);
  {
    G writes = g;
    const Id a = add_event(writes, t);
    writes[a].optional = true;
    pass(writes, t);
    place_everywhere(writes, a, true);
    revisit_all(writes, a);
  }
  const Id a = add_event(g, t);
  hide_write(g, a, false);
  pass(g, t);
  return !fills_hole(g, t, g[a].slot) || consistent(g);
}

template <unsigned W> bool CommitEngine<W>::add_choice(std::uint32_t t) {
  G& g = current_;
  const Action& a = g.thread[t].now->action;
  for (auto value = static_cast<std::int64_t>(a.high); value > static_cast<std::int64_t>(a.value); --value) {
    G& other = fork(g);
    const Id e = add_event(other, t);
    other[e].value = static_cast<std::uint64_t>(value);
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
    g[e].value = g.thread[a.value].now->action.value;
  }
  const bool hole = fills_hole(g, t, g[e].slot);
  pass(g, t);
  return !hole || consistent(g);
}

// --- revisits --------------------------------------------------------------------------------------------------------

template <unsigned W> bool CommitEngine<W>::maximal(const G& g, Id e, Id a) const {
  const CommittedEvent& v = g[e];
  const Set& kept = g.prefix[static_cast<std::size_t>(a)];
  const auto previous = [&](Id d) { return d != a && (g[d].stamp <= v.stamp || kept.test(g.bit(d))); };
  if (v.kind == ActionKind::Choose) return v.value == v.action().value;
  if (v.hidden) return true;
  if (v.optional) return false;
  if (!v.is_read() && !v.is_write()) return true;
  if (v.is_write() && g.readers_of(e, v.location).some([&](unsigned r) { return previous(static_cast<Id>(r)); }))
    return false;
  Id newest = g.coherence_last(v.location);
  while (newest >= 0 && !previous(newest))
    newest = g[newest].co_before;
  return newest == (v.is_write() ? e : v.reads_from);
}

// pre: a is the last event and has no place in coherence.
template <unsigned W> void CommitEngine<W>::revisit_all(const G& g, Id a) {
  const Set& kept = g.prefix[static_cast<std::size_t>(a)];
  Set candidates = g.location[g[a].location].reads - kept;
  std::vector<Id> found;
  for (auto at = g.order.rbegin(); at != g.order.rend() && candidates.any(); ++at) {
    const Id e = *at;
    if (e == a || kept.test(g.bit(e))) continue;
    if (!maximal(g, e, a)) break;
    if (candidates.test(g.bit(e))) found.push_back(e);
    candidates.reset(g.bit(e));
  }
  for (const Id r : found)
    revisit(g, a, r);
}

// The graphs in which r reads from a, without what was added after r and is not before a.
template <unsigned W> void CommitEngine<W>::revisit(const G& from, Id a, Id r) {
  G g = from;
  const Set kept = g.prefix[static_cast<std::size_t>(a)];
  const std::uint32_t since = g[r].stamp;
  std::vector<bool> touched(g.thread.size());
  touched[g[r].thread] = true;
  for (auto at = g.order.rbegin(); at != g.order.rend(); ++at) {
    const Id e = *at;
    if (g[e].stamp <= since) break;
    if (e == a || kept.test(g.bit(e))) continue;
    touched[g[e].thread] = true;
    g.remove(e);
  }
  std::erase_if(g.order, [&](Id e) { return !g.used.test(g.bit(e)); });
  g.clear_reads_from(r);
  g[r].failed_cas = false;
  settle_read(g, r, a);
  for (std::uint32_t t = 0; t < touched.size(); ++t)
    if (touched[t]) run_again(g, t);
  // r sees a: nothing that its thread knows of the location may be newer than a.
  place_everywhere(g, a, true);
}

// --- what is found ---------------------------------------------------------------------------------------------------

template <unsigned W> bool CommitEngine<W>::is_phantom(const G& g) const {
  return std::any_of(g.order.begin(), g.order.end(), [&](Id e) { return g[e].phantom; });
}

template <unsigned W> void CommitEngine<W>::complete() {
  const G& g = current_;
  if (is_phantom(g)) return;
  bool all_ended = true, error = false;
  for (const auto& th : g.thread) {
    if (!th.begin) continue;
    all_ended &= th.now->action.kind == ActionKind::End;
    error |= th.halted && g.at_slot(th.now->state.thread, th.now->state.events) == none;
  }
  if (reporter_.has_heap) check_memory(g);
  if (options_.plan.has_flags()) raise_flags(g);
  if (error) {
    ++results_.erroneous;
    return;
  }
  if (!options_.in_order && !results_.may_miss) look_for_missing(g);
  if (all_ended) return reporter_.complete(g);
  // A thread that waits looks again: of the graphs that differ in what it saw in vain, one counts.
  for (const Id e : g.order)
    if (g[e].stuck && g.coherence_after(g[e].reads_from, g[e].location) != none) return;
  reporter_.blocked(g);
}

// The flags that the model raises: those about races are errors of the program, the others are told.
template <unsigned W> void CommitEngine<W>::raise_flags(const G& g) {
  const bool fits = consistent(g);
  assert(fits && "a graph that is explored should be consistent");
  (void)fits;
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

template <unsigned W> void CommitEngine<W>::look_for_missing(const G& g) {
  DependencyTable& dependencies = states_.machine().dependencies();
  bool missing = false;
  for (const Id e : g.order) {
    missing |= !options_.multi_copy_atomic && waits_to_compare(g, e, dependencies);
    missing |= options_.forwards && !options_.multi_copy_atomic && waits_too_long(g, e);
    missing |= options_.forwards && !options_.success_dependencies && waits_for_success(g, e, dependencies);
  }
  for (std::uint32_t t = 0; t < g.thread.size(); ++t)
    missing |= options_.multi_copy_atomic && waits_in_vain(g, t, dependencies, options_.success_dependencies);
  results_.may_miss |= missing;
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
