// The definition of Engine, included once per width by engine_*.cpp.
#pragma once

#include "explore/engine.hpp"

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
      has_non_atomics_(detail::uses(states,
                                    [](const Instruction& i) {
                                      return (i.opcode == Opcode::Load || i.opcode == Opcode::Store) &&
                                             i.mode == Mode::Na;
                                    })),
      has_blocks_(detail::uses(states, [](const Instruction& i) { return i.opcode == Opcode::AtomicBegin; })) {
  use_level(0);
}

template <unsigned W> void Engine<W>::use_level(std::size_t depth) {
  while (graphs_.size() <= depth)
    graphs_.push_back(std::make_unique<Graph<W>>());
  depth_ = depth;
}

template <unsigned W> void Engine<W>::begin() {
  Graph<W>& g = graph();
  const Bytecode& p = states_.machine().program();
  g.thread.resize(p.threads.size());
  for (std::uint32_t t = 0; t < p.threads.size(); ++t)
    g.thread[t].now = states_.first(t, p.threads[t].function, p.threads[t].args);
  g.location.resize(states_.locations().count());
}

template <unsigned W> Progress Engine<W>::run(const Budget& budget) {
  const std::uint64_t goal = budget.executions;
  const std::uint64_t start = results_.executions + results_.blocked;
  for (;; ++tick_) {
    if ((tick_ & 0x7) == 0 && budget.stopped()) return Progress::Paused; // a tick takes 100 ns, in large graphs 10 ms
    if ((tick_ & 0xFF) == 0) {
      results_.steps += 0x100;
      if ((tick_ & 0xFFF) == 0) {
        if (std::chrono::steady_clock::now() >= budget.deadline) return Progress::Paused;
        if (states_.bytes() > options_.cache_bytes) collect_states();
      }
    }
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
      descend_ = true;
      break;
    case Step::Pushed:
      descend_ = false;
      break;
    case Step::Exhausted:
      retract(frames_.back());
      frames_.pop_back();
      descend_ = false;
      break;
    }
  }
}

// --- going forward ---------------------------------------------------------------------------------------------------

template <unsigned W> bool Engine<W>::can_move(const typename Graph<W>::Thread& th) {
  const Graph<W>& g = graph();
  const Action& a = th.now->action;
  switch (a.kind) {
  case ActionKind::End:
  case ActionKind::Block:
    return false;
  case ActionKind::Join: {
    if (a.value >= g.thread.size()) return true; // an error, reported when it is its turn
    const auto* now = g.thread[a.value].now;
    return !now || (now->action.kind == ActionKind::End && !now->action.process); // exit() never comes back
  }
  case ActionKind::Read: {
    if (th.waits == none) return true;
    if (g[th.waits].pinned) return false;
    // Asked again only when a newer write has come: the last in `order` that is one decides.
    const std::uint32_t since = g[th.waits].stamp;
    return g.location[th.now->location].writes.some([&](unsigned w) { return g.event[w].stamp > since; });
  }
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
    if (th.now->action.rmw) return static_cast<int>(t);
    if (first < 0 && can_move(th)) first = static_cast<int>(t);
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
  constexpr std::size_t capacity = 64 * widest; // rows of the widest graph hold no more, whatever the user asked for
  if (g.order.size() >= std::min<std::size_t>(options_.max_events, capacity)) {
    push_stuck(t);
    reporter_.report(g, ErrorKind::EventBound, "an execution has too many events", g.thread[t].now->action.position,
                     static_cast<std::int32_t>(t), {});
    return true;
  }
  const Id e = g.append(t, own_hb_);
  if (e == none) return full_ = true, false;
  Frame f{};
  f.event = e;
  f.thread = t;
  switch (g[e].kind) {
  case ActionKind::Read:
    f.kind = Kind::Read;
    f.cursor = g.coherence_last(g[e].location);
    f.waited = g.thread[t].waits;
    g[e].waited = f.waited;
    g.thread[t].waits = none;
    break;
  case ActionKind::Write:
    f.kind = Kind::Write;
    f.cursor = g.coherence_last(g[e].location);
    compute_rows(g, e, options_.model);
    answer(e);
    break;
  case ActionKind::Choose:
    f.kind = Kind::Choose;
    f.choice = g[e].at->action.value;
    f.high = g[e].at->action.high;
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
  graph().thread[t].stuck = true;
  Frame f{};
  f.kind = Kind::Stuck;
  f.thread = t;
  frames_.push_back(f);
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
    results_.may_miss = true; // nobody else could serve it, which is for enumeration to judge
    push_stuck(t);
    return true;
  }
  const std::optional<Trouble> found = fault(t);
  if (!found) return false;
  push_stuck(t);
  if (!has_blocks_) report_fault(graph(), t, *found);
  return true;
}

// --- choices ---------------------------------------------------------------------------------------------------------

template <unsigned W> typename Engine<W>::Step Engine<W>::advance(Frame& f) {
  if (f.given) return Step::Exhausted;
  switch (f.kind) {
  case Kind::Read:
    return advance_read(f);
  case Kind::Write:
    return advance_write(f);
  case Kind::Base:
    return advance_base(f);
  case Kind::Choose:
    return advance_choose(f);
  case Kind::Stuck:
    return f.applied ? Step::Exhausted : (f.applied = true, Step::Applied);
  case Kind::Plain:
    return advance_plain(f);
  }
  return Step::Exhausted;
}

// Moves the thread of e on, with e's value as the answer.
template <unsigned W> void Engine<W>::answer(Id e) {
  Graph<W>& g = graph();
  g.thread[g[e].thread].now = states_.next(g[e].at, g[e].is_write() ? 0 : g[e].value);
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_plain(Frame& f) {
  if (f.applied) return Step::Exhausted;
  f.applied = true;
  Graph<W>& g = graph();
  const Action& a = g[f.event].at->action;
  if (a.kind == ActionKind::Spawn) {
    const std::uint32_t child = states_.spawned(f.thread, g[f.event].index);
    const auto args = states_.machine().spawn_arguments(g[f.event].at->state);
    if (g.thread.size() <= child) g.thread.resize(child + 1);
    auto& th = g.thread[child];
    th = {};
    th.now = states_.first(child, static_cast<std::uint32_t>(a.value), args);
    th.spawned_by = f.event;
    g[f.event].value = child;
  } else if (a.kind == ActionKind::Join) {
    const auto& th = g.thread[a.value];
    g[f.event].joined = th.last != none ? th.last : th.spawned_by;
    g[f.event].value = th.now->action.value;
  }
  compute_rows(g, f.event, options_.model);
  if (a.kind == ActionKind::Free) judge_access(f.event);
  if (g[f.event].is_fence() && !consistency_.accepts_fence(g)) return Step::Exhausted;
  answer(f.event);
  return Step::Applied;
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_choose(Frame& f) {
  if (f.revisiting || static_cast<std::int64_t>(f.choice) > static_cast<std::int64_t>(f.high)) return Step::Exhausted;
  Graph<W>& g = graph();
  f.applied = true;
  g[f.event].value = f.choice;
  f.revisiting = f.choice == f.high; // nothing after the last, even where adding one would wrap around
  ++f.choice;
  compute_rows(g, f.event, options_.model);
  answer(f.event);
  return Step::Applied;
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_read(Frame& f) {
  Graph<W>& g = graph();
  if (f.applied) {
    f.applied = false;
    if (f.last_resort) {
      g.unmake_waiting(f.event, none);
      return Step::Exhausted;
    }
    unsettle_read(f.event);
  }
  while (f.cursor != none)
    if (const Id w = next_source(f); w != none && apply_source(f, w)) return Step::Applied;
  return wait_instead(f) ? Step::Applied : Step::Exhausted;
}

// The next write that the read may see: from the coherence-last one back to the floor. A waiting read takes only what
// serves it, and if it has waited before, only what came since: the rest was tried when it began to wait.
template <unsigned W> Id Engine<W>::next_source(Frame& f) {
  Graph<W>& g = graph();
  const Event& v = g[f.event];
  const Id w = f.cursor;
  if (without_coherence(options_.model)) {
    f.cursor = w == initial ? none : g[w].co_before;
    return w;
  }
  f.cursor = Consistency<W>::is_floor(g, w, v.location, consistency_.view(g, f.event)) ? none : g[w].co_before;
  const Action& a = v.at->action;
  if (!waits(a.part)) return w;
  if (f.waited != none && (w == initial || g[w].stamp < g[f.waited].stamp)) return none;
  return states_.machine().satisfied(v.at->state, a, value_of(w, v.location)) ? w : none;
}

template <unsigned W> bool Engine<W>::apply_source(Frame& f, Id w) {
  Graph<W>& g = graph();
  g.set_reads_from(f.event, w);
  settle_read(f.event);
  if (!consistency_.accepts_read(g, f.event) || hopeless()) {
    unsettle_read(f.event);
    return false;
  }
  f.applied = true;
  judge_access(f.event);
  return true;
}

// Gives a read the value of its write, its mode and its rows, and moves its thread on, where it does not wait.
template <unsigned W> void Engine<W>::settle_read(Id r) {
  Graph<W>& g = graph();
  Event& v = g[r];
  v.value = value_of(v.reads_from, v.location);
  const Action& a = v.at->action;
  if (without_coherence(options_.model) && !states_.machine().satisfied(v.at->state, a, v.value)) {
    v.pinned = true;
    g.thread[v.thread].waits = r;
  } else {
    answer(r);
  }
  if (a.part == Part::Cas) v.mode = g.thread[v.thread].now->action.rmw ? a.mode : a.failure;
  compute_rows(g, r, options_.model);
}

// Undoes it.
template <unsigned W> void Engine<W>::unsettle_read(Id r) {
  Graph<W>& g = graph();
  g.clear_reads_from(r);
  g[r].pinned = false;
  g.thread[g[r].thread].waits = none;
  g.thread[g[r].thread].now = g[r].at;
}

// After all that serves it, a waiting read may wait, where the coherence-last write does not serve it.
template <unsigned W> bool Engine<W>::wait_instead(Frame& f) {
  Graph<W>& g = graph();
  const Event& v = g[f.event];
  if (!waits(v.at->action.part) || f.last_resort || without_coherence(options_.model)) return false;
  const Id last = g.coherence_last(v.location);
  if (states_.machine().satisfied(v.at->state, v.at->action, value_of(last, v.location))) return false;
  g.make_waiting(f.event);
  f.applied = f.last_resort = true;
  return true;
}

// Puts the write of a frame at its next place in coherence; false where there is none left.
template <unsigned W> bool Engine<W>::next_place(Frame& f) {
  Graph<W>& g = graph();
  const Event& v = g[f.event];
  if (without_coherence(options_.model)) { // the list of writes is a list, and no order
    if (f.cursor == none) return false;
    f.cursor = none;
    g.place(f.event, g.coherence_last(v.location));
    return f.applied = true;
  }
  const Id only = v.is_update() ? g[g.read_of_update(f.event)].reads_from : none;
  const Set view = consistency_.view(g, f.event);
  const Set other = f.revisited != none ? consistency_.view(g, f.revisited) : Set{};
  while (f.cursor != none) {
    const Id before = f.cursor;
    const bool floor =
        Consistency<W>::is_floor(g, before, v.location, view) || Consistency<W>::is_floor(g, before, v.location, other);
    f.cursor = floor ? none : g[before].co_before;
    if (only != none && before != only) continue;
    if (g.taken_by_update(before, v.location)) continue;
    g.place(f.event, before);
    f.applied = true;
    return true;
  }
  return false;
}

template <unsigned W> void Engine<W>::undo_place(Frame& f) {
  if (f.applied) graph().displace(f.event);
  f.applied = false;
}

// The same, passing over the places that the model forbids.
template <unsigned W> bool Engine<W>::next_accepted_place(Frame& f) {
  for (undo_place(f); next_place(f); undo_place(f))
    if (consistency_.accepts_write(graph(), f.event) && !hopeless()) return true;
  return false;
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_write(Frame& f) {
  if (!f.revisiting) {
    if (next_accepted_place(f)) {
      judge_access(f.event);
      return Step::Applied;
    }
    f.revisiting = true;
    f.revisits = revisitable(f.event);
  }
  const unsigned next = f.revisits.first();
  if (next == Set::capacity) return Step::Exhausted;
  f.revisits.reset(next);
  push_revisit(f.event, static_cast<Id>(next));
  return Step::Pushed;
}

template <unsigned W> void Engine<W>::retract(Frame& f) {
  Graph<W>& g = graph();
  switch (f.kind) {
  case Kind::Stuck:
    g.thread[f.thread].stuck = false;
    return;
  case Kind::Base:
    use_level(depth_ - 1);
    return;
  case Kind::Plain:
    if (g[f.event].kind == ActionKind::Spawn && f.applied) g.thread[g[f.event].value] = {};
    break;
  case Kind::Read:
    if (f.applied && f.last_resort)
      g.unmake_waiting(f.event, none);
    else if (f.applied)
      unsettle_read(f.event);
    g.retract(f.event);
    g.thread[f.thread].waits = f.waited;
    return;
  case Kind::Write:
    undo_place(f);
    break;
  case Kind::Choose:
    break;
  }
  g.retract(f.event);
}

// --- revisits --------------------------------------------------------------------------------------------------------

// Whether e was added as the canonical run would have added it, seen from write a (see docs/how/exploration.md).
template <unsigned W> bool Engine<W>::maximal(Id e, Id a) {
  const Graph<W>& g = graph();
  const Event& v = g[e];
  const Set& kept = g.prefix_of(a);
  const auto previous = [&](Id d) { return g[d].stamp <= v.stamp || kept.test(g.bit(d)); };
  if (v.kind == ActionKind::Choose) return v.value == v.at->action.value;
  if (!v.is_read() && !v.is_write()) return true;
  if (v.is_write() && g.readers_of(e, v.location).some([&](unsigned r) { return previous(static_cast<Id>(r)); }))
    return false;
  // A pinned wait reads from its write as well, although it is no reader to the model.
  if (v.is_write())
    for (const auto& th : g.thread)
      if (th.waits != none && g[th.waits].pinned && g[th.waits].reads_from == e && previous(th.waits)) return false;
  if (without_coherence(options_.model))
    return v.is_write() || v.reads_from == consistency_.canonical_source(g, e, previous);
  Id newest = g.coherence_last(v.location);
  while (newest >= 0 && !previous(newest))
    newest = g[newest].co_before;
  return newest == (v.is_write() ? e : v.reads_from);
}

// The reads that may read from a instead. pre: a is the last event and has no place in coherence.
//
// A marker is passed over, whatever was written since it was made: its thread is asked again, so no other node has it
// on a newer write, and to demand that it be maximal would lose every revisit of what is older than it.
template <unsigned W> typename Engine<W>::Set Engine<W>::revisitable(Id a) {
  const Graph<W>& g = graph();
  const Set& kept = g.prefix_of(a);
  const Location l = g[a].location;
  Set found, candidates = g.location[l].reads - kept;
  for (const auto& th : g.thread)
    if (th.waits != none && g[th.waits].pinned && g[th.waits].location == l) candidates.set(g.bit(th.waits));
  for (auto at = g.order.rbegin(); at != g.order.rend() && candidates.any(); ++at) {
    const Id e = *at;
    if (e == a || kept.test(g.bit(e))) continue;
    candidates.reset(g.bit(e));
    const Event& v = g[e];
    if (v.is_marker()) continue;
    if (!maximal(e, a)) break;
    if (v.is_read() && v.location == l) found.set(g.bit(e));
  }
  return found;
}

// Removes every event added after r that is not before a, newest first.
template <unsigned W> void Engine<W>::erase_after(Graph<W>& g, Id r, Id a) {
  const Set kept = g.prefix_of(a);
  const std::uint32_t since = g[r].stamp;
  for (auto at = g.order.rbegin(); at != g.order.rend(); ++at) {
    const Id e = *at;
    const Event& v = g[e];
    if (v.stamp <= since) break;
    if (e == a || kept.test(g.bit(e))) continue;
    auto& th = g.thread[v.thread];
    th.stuck = false;
    if (v.waiting) {
      if (th.waits == e) th.waits = v.waited;
    } else {
      if (v.is_read()) {
        g.clear_reads_from(e);
        th.waits = v.waited;
      }
      if (v.is_write()) g.displace(e);
      if (v.kind == ActionKind::Spawn) g.thread[v.value] = {};
    }
    g.unlink(e);
  }
  std::erase_if(g.order, [&](Id e) { return !g.used.test(g.bit(e)); });
  for (const Id e : g.order) // its number may be given to another event
    if (g[e].waited != none && !g.used.test(g.bit(g[e].waited))) g[e].waited = none;
}

// Opens a new level: the graph in which r reads from a, without what r's old choice led to.
template <unsigned W> void Engine<W>::push_revisit(Id a, Id r) {
  use_level(depth_ + 1);
  Graph<W>& g = graph();
  g = *graphs_[depth_ - 1];
  for (auto& th : g.thread)
    th.stuck = false;
  erase_after(g, r, a);
  if (g[r].waiting)
    g.unmake_waiting(r, none);
  else
    unsettle_read(r);
  Frame f{};
  f.kind = Kind::Base;
  f.event = a;
  f.thread = g[r].thread;
  f.revisited = r;
  f.cursor = g.coherence_last(g[a].location);
  const Event& v = g[r];
  g.thread[f.thread].now = v.at;
  // Where reading a would make r wait, r becomes a pinned wait on a, which must then be coherence-last.
  f.last_resort =
      !without_coherence(options_.model) && !states_.machine().satisfied(v.at->state, v.at->action, g[a].value);
  frames_.push_back(f);
}

template <unsigned W> void Engine<W>::undo_base(Frame& f) {
  if (!f.applied) return;
  Graph<W>& g = graph();
  if (f.last_resort)
    g.unmake_waiting(f.revisited, none);
  else
    unsettle_read(f.revisited);
  undo_place(f);
}

template <unsigned W> typename Engine<W>::Step Engine<W>::advance_base(Frame& f) {
  Graph<W>& g = graph();
  undo_base(f);
  while (next_place(f)) {
    if (f.last_resort) {
      f.cursor = none;
      if (g[f.event].co_after == none && consistency_.accepts_write(g, f.event)) {
        g.make_waiting(f.revisited);
        g[f.revisited].pinned = true;
        return Step::Applied;
      }
    } else {
      g.set_reads_from(f.revisited, f.event);
      settle_read(f.revisited);
      if (consistency_.accepts_write(g, f.event) && consistency_.accepts_read(g, f.revisited) && !hopeless()) {
        judge_access(f.revisited);
        return Step::Applied;
      }
      unsettle_read(f.revisited);
    }
    undo_place(f);
  }
  return Step::Exhausted;
}

} // namespace fencepost
