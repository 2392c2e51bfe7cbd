// The definition of CommitEngine, included once per width.
#pragma once

#include "explore/commit_engine.hpp"
#include "explore/engine_report_impl.hpp"
#include "explore/engine_save_impl.hpp"
#include "models/commit_before.hpp"

#include <algorithm>

namespace fencepost {

template <unsigned W>
CommitEngine<W>::CommitEngine(LocalStates& states, const ExploreOptions& options, Results& results, const Plan& plan)
    : states_(states), options_(options), results_(results), plan_(plan) {}

template <unsigned W> void CommitEngine<W>::begin() {
  const Bytecode& p = states_.machine().program();
  G& g = fork(G{});
  g.thread.resize(p.threads.size());
  for (std::uint32_t t = 0; t < p.threads.size(); ++t)
    g.thread[t].begin = g.thread[t].now = states_.first(t, p.threads[t].function, p.threads[t].args);
}

template <unsigned W> Progress CommitEngine<W>::run(const Budget& budget) {
  const std::uint64_t start = results_.executions + results_.blocked;
  for (std::uint64_t tick = 1;; ++tick) {
    if ((tick & 0x3F) == 0 && budget.stopped()) return Progress::Paused;
    if ((tick & 0xFF) == 0) {
      if (std::chrono::steady_clock::now() >= budget.deadline) return Progress::Paused;
      if (states_.bytes() > options_.cache_bytes) collect_states();
    }
    if (failed_) return Progress::Failed;
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
    report(ErrorKind::EventBound, "an execution has too many events", 0, -1);
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
  return !g.thread[a.value].halted && g.thread[a.value].now->action.kind == ActionKind::End;
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
  const LocalState& now = *g.thread[t].now;
  const Action& a = now.action;
  const auto stuck = [&](ErrorKind kind, const std::string& message) {
    report(kind, message, a.position, static_cast<std::int32_t>(t));
    g.thread[t].halted = true;
    return true;
  };
  switch (a.kind) {
  case ActionKind::Error: {
    const std::string own = a.string ? states_.machine().program().strings[a.string] : std::string();
    return stuck(a.error, own.empty() ? a.message : own);
  }
  case ActionKind::AtomicBegin:
  case ActionKind::AtomicEnd:
    return stuck(ErrorKind::Unsupported, "an atomic block under a weak memory model");
  case ActionKind::Join:
    if (a.value >= g.thread.size() || !g.thread[a.value].begin)
      return stuck(ErrorKind::BadJoin, "join of a thread that does not exist");
    return false;
  case ActionKind::Read:
  case ActionKind::Write:
    if (now.mixed) return stuck(ErrorKind::MixedSize, "accesses of different sizes to the same memory");
    return false;
  default:
    return false;
  }
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
  compute_before(g, e, states_.machine().dependencies());
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
      compute_before(g, half, states_.machine().dependencies());
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

template <unsigned W> bool CommitEngine<W>::consistent(const G& g) {
  if (!structure_.build(g, states_.machine().dependencies(), options_.success_dependencies)) {
    full_ = true;
    return true;
  }
  return plan_.consistent(structure_.s);
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

template <unsigned W> void CommitEngine<W>::complete() {
  const G& g = current_;
  bool all_ended = true, error = false, waits = false, assumed = false;
  for (const Id e : g.order)
    if (g[e].phantom) return;
  for (const auto& th : g.thread) {
    if (!th.begin) continue;
    const ActionKind kind = th.now->action.kind;
    all_ended &= kind == ActionKind::End;
    if (th.halted && g.at_slot(th.now->state.thread, th.now->state.events) == none) error = true;
    waits |= th.halted || kind == ActionKind::Join;
    assumed |= kind == ActionKind::Block;
  }
  if (error) {
    ++results_.erroneous;
    return;
  }
  if (options_.check_duplicates && !seen_.insert(fingerprint(g)).second) ++results_.duplicates;
  if (!results_.may_miss)
    for (const Id e : g.order) {
      results_.may_miss |= options_.forwards && g[e].is_read() && waits_too_long(g, e);
      results_.may_miss |= options_.forwards && !options_.success_dependencies &&
                           waits_for_success(g, e, states_.machine().dependencies());
    }
  if (all_ended) {
    ++results_.executions;
    if (!states_.machine().program().observations.empty()) ++results_.outcomes[outcome(g)];
    if (results_.kept.size() < options_.keep_executions) results_.kept.push_back(export_graph(g));
    return;
  }
  // A thread that waits looks again: of the graphs that differ in what it saw in vain, one counts.
  for (const Id e : g.order)
    if (g[e].stuck && g.coherence_after(g[e].reads_from, g[e].location) != none) return;
  ++results_.blocked;
  if (!options_.deadlocks || !waits || assumed) return;
  for (std::size_t t = 0; t < g.thread.size(); ++t)
    if (g.thread[t].begin && g.thread[t].now->action.kind != ActionKind::End)
      return report(ErrorKind::Deadlock, "threads wait for what nobody will do", g.thread[t].now->action.position,
                    static_cast<std::int32_t>(t));
}

template <unsigned W>
void CommitEngine<W>::report(ErrorKind kind, const std::string& message, std::uint32_t position, std::int32_t thread) {
  for (const Id e : current_.order)
    if (current_[e].phantom) return; // no execution: the real one comes too
  if (!detail::is_bound(kind) && !options_.keep_going) failed_ = true;
  for (Finding& known : results_.findings)
    if (known.kind == kind && known.position == position) {
      ++known.count;
      return;
    }
  Finding f;
  f.kind = kind;
  f.message = message;
  f.position = position;
  f.thread = thread;
  f.execution = export_graph(current_);
  for (std::size_t i = 0; i < f.execution.events.size(); ++i)
    if (f.execution.events[i].thread == thread) f.events.assign(1, static_cast<std::int32_t>(i));
  results_.findings.push_back(std::move(f));
}

template <unsigned W> std::vector<std::uint64_t> CommitEngine<W>::outcome(const G& g) {
  std::vector<std::uint64_t> values;
  for (const Observation& o : states_.machine().program().observations) {
    if (!o.memory) {
      values.push_back(Machine::first_register(g.thread[o.where].now->state, o.what));
      continue;
    }
    const Location l = states_.locations().find(o.where, o.what);
    const bool known = l != no_location && l < g.location.size();
    values.push_back(known ? value_of(g, g.coherence_last(l), l)
                           : initial_value(states_.machine().program(), o.where, o.what));
  }
  return values;
}

template <unsigned W> Execution CommitEngine<W>::export_graph(const G& g) {
  // Program-order indices count the events that happened; slots also count the writes that did not.
  std::vector<std::vector<std::int32_t>> index(g.thread.size());
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    std::int32_t next = 0;
    for (const Id e : g.thread[t].slot)
      index[t].push_back(e != none && !g[e].hidden && !g[e].stuck ? next++ : -1);
  }
  std::vector<Id> ids;
  for (const Id e : g.order)
    if (!g[e].hidden && !g[e].stuck) ids.push_back(e);
  const auto number = [&](Id e) {
    const auto at = std::find(ids.begin(), ids.end(), e);
    return at == ids.end() ? -1 : static_cast<std::int32_t>(at - ids.begin());
  };
  DependencyTable& table = states_.machine().dependencies();
  Execution x;
  for (const Id e : ids) {
    const CommittedEvent& v = g[e];
    const Action& a = v.action();
    const auto deps = [&](DepSet set) {
      std::vector<std::uint32_t> found;
      for (const std::uint32_t d : table.elements(set)) {
        if (d & success_dependency && !options_.success_dependencies) continue;
        const std::size_t slot = d & ~success_dependency;
        if (slot < index[v.thread].size() && index[v.thread][slot] >= 0)
          found.push_back(static_cast<std::uint32_t>(index[v.thread][slot]));
      }
      return found;
    };
    bool update = v.is_write() && v.pair != none;
    if (v.is_read())
      for (const Id w : ids)
        update |= g[w].pair == e;
    Id joined = none;
    if (a.kind == ActionKind::Join)
      for (const Id d : g.thread[a.value].slot)
        if (d != none && !g[d].hidden && !g[d].stuck) joined = d;
    x.events.push_back({static_cast<std::int32_t>(v.thread), index[v.thread][v.slot], v.kind, v.mode, a.fence, update,
                        a.part == Part::Exclusive || a.conditional >= 0, a.size, a.address, v.value, a.position,
                        number(v.reads_from), number(joined), deps(a.address_deps), deps(a.data_deps),
                        deps(a.control_deps)});
  }
  for (Location l = 0; l < g.location.size(); ++l) {
    std::vector<std::int32_t> writes;
    for (Id w = g.location[l].first; w != none; w = g[w].co_after)
      writes.push_back(number(w));
    if (!writes.empty()) x.coherence.emplace_back(states_.locations().address(l), std::move(writes));
  }
  bool ended = true;
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    x.spawned_by.push_back(number(g.thread[t].spawned_by));
    if (!g.thread[t].begin || g.thread[t].now->action.kind == ActionKind::End) continue;
    ended = false;
    x.stuck.push_back({static_cast<std::uint32_t>(t), g.thread[t].now->action.position, g.thread[t].now->action.kind});
  }
  if (ended) x.outcome = outcome(g);
  return x;
}

template <unsigned W> std::uint64_t CommitEngine<W>::fingerprint(const G& g) const {
  const auto name = [&](Id e) { return e < 0 ? 7 : detail::mix(g[e].thread + 1, g[e].slot + 1); };
  std::uint64_t sum = 0;
  for (const Id e : g.order) {
    const CommittedEvent& v = g[e];
    std::uint64_t h = detail::mix(name(e), static_cast<std::uint64_t>(v.kind) + (v.hidden ? 64 : 0));
    h = detail::mix(detail::mix(h, v.value), v.action().address);
    if (v.is_read()) h = detail::mix(h, name(v.reads_from));
    if (v.is_write()) h = detail::mix(h, name(v.co_before) ^ 0x5555);
    sum += detail::mix(h, 99);
  }
  return sum;
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
}

// --- saving and sharing ----------------------------------------------------------------------------------------------

namespace detail {

inline void save_path(Writer& out, const LocalState* state) {
  std::vector<std::uint64_t> answers;
  for (; state->parent; state = state->parent)
    answers.push_back(state->answer);
  out.put(answers.size());
  for (auto a = answers.rbegin(); a != answers.rend(); ++a)
    out.put(*a);
}

template <unsigned W> void save_commit_graph(Writer& out, const CommitGraph<W>& g, Locations& locations) {
  out.put(g.stamps, g.order.size(), g.thread.size());
  for (const auto& th : g.thread)
    out.put(th.begin ? 1 : 0, th.spawned_by, th.halted, th.slot.size());
  for (const Id e : g.order) {
    const CommittedEvent& v = g[e];
    out.put(e, v.value, v.thread, v.slot, v.stamp, v.reads_from, v.co_before, v.co_after, v.pair, v.kind, v.mode,
            v.hidden, v.phantom, v.optional, v.stuck, v.failed_cas);
    save_path(out, v.at);
    const auto& before = g.before[static_cast<std::size_t>(e)];
    out.put(before.count());
    before.each([&](unsigned d) { out.put(d); });
  }
  std::size_t used = 0;
  for (const auto& l : g.location)
    used += l.first != none;
  out.put(used);
  for (Location l = 0; l < g.location.size(); ++l)
    if (g.location[l].first != none)
      out.put(locations.address(l), locations.size(l), g.location[l].first, g.location[l].last);
}

// False where an event does not fit.
template <unsigned W> bool load_commit_graph(Reader& in, CommitGraph<W>& g, LocalStates& states) {
  g = {};
  const Bytecode& p = states.machine().program();
  std::size_t count = 0, threads = 0;
  in.get(g.stamps, count, threads);
  if (threads > layout::max_threads) throw DecodeError("a saved exploration should have fewer threads");
  g.thread.resize(threads);
  std::vector<bool> exists(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    bool begun = false;
    std::size_t slots = 0;
    in.get(begun, g.thread[t].spawned_by, g.thread[t].halted, slots);
    exists[t] = begun;
    g.thread[t].slot.assign(slots, none);
  }
  for (std::uint32_t t = 0; t < p.threads.size() && t < threads; ++t)
    g.thread[t].begin = states.first(t, p.threads[t].function, p.threads[t].args);
  bool fits = true;
  for (std::size_t k = 0; k < count; ++k) {
    CommittedEvent v;
    Id e = none;
    in.get(e, v.value, v.thread, v.slot, v.stamp, v.reads_from, v.co_before, v.co_after, v.pair, v.kind, v.mode,
           v.hidden, v.phantom, v.optional, v.stuck, v.failed_cas);
    if (e < 0 || v.thread >= threads || v.slot >= g.thread[v.thread].slot.size() || !g.thread[v.thread].begin)
      throw DecodeError("a saved event should belong to a thread");
    v.at = g.thread[v.thread].begin;
    for (std::size_t n = in.size(); n > 0; --n)
      v.at = states.next(v.at, static_cast<std::uint64_t>(in.get()));
    v.location = v.at->location;
    fits &= static_cast<unsigned>(e) < Bits<W>::capacity;
    const auto at = static_cast<std::size_t>(e);
    if (fits && g.event.size() <= at) {
      g.event.resize(at + 1);
      g.before.resize(at + 1);
      g.prefix.resize(at + 1);
      g.readers.resize(at + 1);
    }
    for (std::size_t n = in.size(); n > 0; --n) {
      const std::int64_t d = in.get();
      if (fits && static_cast<std::uint64_t>(d) < Bits<W>::capacity) g.before[at].set(static_cast<unsigned>(d));
    }
    if (v.kind == ActionKind::Spawn && v.value < threads) {
      const auto child = static_cast<std::uint32_t>(v.value);
      g.thread[child].begin = states.first(child, static_cast<std::uint32_t>(v.at->action.value),
                                           states.machine().spawn_arguments(v.at->state));
    }
    if (!fits) continue;
    g[e] = v;
    g.order.push_back(e);
    g.used.set(g.bit(e));
    g.thread[v.thread].slot[v.slot] = e;
    g.thread[v.thread].events.set(g.bit(e));
  }
  for (std::size_t t = 0; t < threads; ++t)
    if (!exists[t]) g.thread[t].begin = nullptr;
  for (std::size_t n = in.size(); n > 0; --n) {
    std::uint64_t address = 0;
    unsigned size = 0;
    in.get(address, size);
    const Location l = states.locations().find(address, size);
    if (l == no_location) throw DecodeError("saved locations should not overlap");
    if (g.location.size() <= l) g.location.resize(l + 1);
    in.get(g.location[l].first, g.location[l].last);
  }
  if (g.location.size() < states.locations().count()) g.location.resize(states.locations().count());
  return fits;
}

} // namespace detail

template <unsigned W> std::vector<std::int64_t> CommitEngine<W>::save() const {
  detail::Writer out;
  out.put(stack_.size() - spare_ + active_);
  for (std::size_t k = 0; k < stack_.size() - spare_; ++k)
    detail::save_commit_graph(out, stack_[k], states_.locations());
  if (active_) detail::save_commit_graph(out, current_, states_.locations());
  return std::move(out.words);
}

template <unsigned W> bool CommitEngine<W>::load(const std::vector<std::int64_t>& saved) {
  detail::Reader in(saved);
  for (std::size_t n = in.size(); n > 0; --n) {
    G& g = fork(G{});
    if (!detail::load_commit_graph(in, g, states_)) return false;
    for (const Id e : g.order) {
      const CommittedEvent& v = g[e];
      if (v.is_read()) {
        g.location[v.location].reads.set(g.bit(e));
        if (v.reads_from != none) g.readers_of(v.reads_from, v.location).set(g.bit(e));
      }
      if (v.is_write() && v.co_before != none) g.location[v.location].writes.set(g.bit(e));
    }
    // The prefix of a revisited read needs that of a later write: go round until nothing changes.
    for (bool changed = true; changed;) {
      changed = false;
      for (const Id e : g.order) {
        const Set before = g.prefix[static_cast<std::size_t>(e)];
        compute_commit_prefix(g, e);
        changed |= !(before == g.prefix[static_cast<std::size_t>(e)]);
      }
    }
    for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
      const bool halted = g.thread[t].halted;
      run_again(g, t);
      g.thread[t].halted |= halted;
    }
  }
  return true;
}

template <unsigned W> std::vector<std::int64_t> CommitEngine<W>::split() {
  if (stack_.size() - spare_ < 2) return {};
  detail::Writer out;
  out.put(1);
  detail::save_commit_graph(out, stack_.front(), states_.locations());
  std::rotate(stack_.begin(), stack_.begin() + 1, stack_.end());
  ++spare_;
  return std::move(out.words);
}

} // namespace fencepost
