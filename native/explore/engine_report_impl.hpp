// What an Engine does with what it finds: counting, properties of accesses, findings, and graphs that leave the core.
#pragma once

#include "explore/engine.hpp"

#include <algorithm>

namespace fencepost {

namespace detail {

inline std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9E3779B97F4A7C15ULL + (h << 6) + (h >> 2);
  h *= 0xFF51AFD7ED558CCDULL;
  return h ^ (h >> 32);
}

inline bool is_bound(ErrorKind kind) {
  return kind == ErrorKind::LoopBound || kind == ErrorKind::StepBound || kind == ErrorKind::EventBound ||
         kind == ErrorKind::ThreadBound || kind == ErrorKind::Unsupported || kind == ErrorKind::MixedSize;
}

} // namespace detail

template <unsigned W> void Engine<W>::complete() {
  Graph<W>& g = graph();
  bool all_ended = true, stuck = false;
  for (const auto& th : g.thread) {
    if (!th.now) continue;
    all_ended &= th.now->action.kind == ActionKind::End;
    stuck |= th.stuck;
    // A revisit may leave a thread waiting on a write that others have overtaken since. That is a step on the way to
    // other executions, and nothing that a thread can be stuck in.
    if (th.waits != none && g[th.waits].reads_from != g.coherence_last(g[th.waits].location)) return;
  }
  if (stuck) {
    ++results_.erroneous;
    return;
  }
  if (options_.check_duplicates && !seen_.insert(fingerprint()).second) ++results_.duplicates;
  if (!all_ended) {
    ++results_.blocked;
    std::vector<Id> blame;
    ErrorKind kind{};
    if (options_.deadlocks && stalled(g, blame, kind)) {
      std::uint32_t position = 0;
      std::int32_t thread = -1;
      for (std::size_t t = 0; t < g.thread.size() && thread < 0; ++t)
        if (g.thread[t].now && g.thread[t].now->action.kind != ActionKind::End)
          thread = static_cast<std::int32_t>(t), position = g.thread[t].now->action.position;
      report(kind, kind == ErrorKind::Deadlock ? "threads wait for what nobody will do" : "a loop spins for ever",
             position, thread, blame);
    }
    return;
  }
  ++results_.executions;
  if (options_.leaks && has_heap_) report_leaks(g);
  if (!states_.machine().program().observations.empty()) ++results_.outcomes[outcome()];
  if (results_.kept.size() < options_.keep_executions) results_.kept.push_back(export_graph());
}

// Whether the threads that have not ended wait for one another, or for nobody. An assume that failed or a bound that
// was hit explains itself: then nothing is known about the others. A spinning thread counts where every
// read of its last iteration saw the newest value: the next iteration would be the same.
template <unsigned W> bool Engine<W>::stalled(const Graph<W>& g, std::vector<Id>& blame, ErrorKind& kind) {
  kind = ErrorKind::Liveness;
  for (const auto& th : g.thread) {
    if (!th.now || th.now->action.kind == ActionKind::End) continue;
    const Action& a = th.now->action;
    if (a.kind == ActionKind::Block && !a.spin) return false;
    if (a.kind != ActionKind::Block) kind = ErrorKind::Deadlock;
    if (th.last != none) blame.push_back(th.last);
    if (a.kind != ActionKind::Block) continue;
    for (Id e = th.last; e != none && g[e].index >= a.value; e = g[e].po_before) {
      const Event& v = g[e];
      if (!v.is_read()) continue;
      Id newer = g.coherence_after(v.reads_from, v.location);
      if (newer != none && newer == v.po_after && g[newer].is_update()) newer = g.coherence_after(newer, v.location);
      if (newer != none) return false;
    }
  }
  return true;
}

template <unsigned W>
void Engine<W>::report(ErrorKind kind, const std::string& message, std::uint32_t position, std::int32_t thread,
                       const std::vector<Id>& blame) {
  if (!detail::is_bound(kind) && !options_.keep_going) failed_ = true;
  for (Finding& known : results_.findings)
    if (known.kind == kind && known.position == position) {
      ++known.count;
      return;
    }
  std::vector<Id> numbering;
  Finding f;
  f.kind = kind;
  f.message = message;
  f.position = position;
  f.thread = thread;
  f.execution = export_graph(&numbering);
  for (const Id e : blame) {
    const auto at = std::find(numbering.begin(), numbering.end(), e);
    if (at != numbering.end()) f.events.push_back(static_cast<std::int32_t>(at - numbering.begin()));
  }
  results_.findings.push_back(std::move(f));
}

// Definition 3.10 of the RCMC paper: conflicting accesses of which one is non-atomic, unordered by happens-before.
template <unsigned W> void Engine<W>::report_races(Id e) {
  if (!has_non_atomics_ || !own_hb_ || !options_.races) return;
  const Graph<W>& g = graph();
  const Event& v = g[e];
  const auto& l = g.location[v.location];
  Set others = v.is_write() ? l.writes | l.reads : l.writes;
  others -= g.hb_of(e);
  others.reset(g.bit(e));
  others.some([&](unsigned d) {
    const Event& u = g.event[d];
    if (u.thread == v.thread || (u.mode != Mode::Na && v.mode != Mode::Na)) return false;
    if (u.is_read() && u.reads_from == e) return false; // it was revisited by e: judged there
    report(ErrorKind::Race, "data race", v.at->action.position, static_cast<std::int32_t>(v.thread),
           {static_cast<Id>(d), e});
    return true;
  });
}

template <unsigned W> bool Engine<W>::ordered(Id before, Id after) const {
  const Graph<W>& g = graph();
  return (own_hb_ ? g.hb_of(after) : g.prefix_of(after)).test(g.bit(before));
}

// Heap memory: an access before it was written, after it was freed, or unordered with the free; a second free.
template <unsigned W> void Engine<W>::report_memory(Id e) {
  const Graph<W>& g = graph();
  const Event& v = g[e];
  const Action& a = v.at->action;
  if (!has_heap_ || layout::region(a.address) != layout::heap) return;
  const Allocation* memory = allocation_of(a.address);
  if (!memory) return;
  const auto tell = [&](ErrorKind kind, const char* message, std::vector<Id> blame) {
    report(kind, message, a.position, static_cast<std::int32_t>(v.thread), blame);
  };
  if (v.is_read() && v.reads_from == initial && !memory->zeroed)
    tell(ErrorKind::Uninitialised, "read of heap memory that nobody has written", {e});
  if (!has_free_) return;
  for (const Id d : g.order) {
    const Event& u = g[d];
    if (d == e || u.waiting) continue;
    if (u.kind == ActionKind::Free && u.at->action.address == memory->address) {
      if (v.kind == ActionKind::Free) return tell(ErrorKind::DoubleFree, "memory is freed twice", {d, e});
      return tell(ErrorKind::UseAfterFree,
                  ordered(d, e) ? "access to memory that was freed"
                                : "access to memory that another thread may free first",
                  {d, e});
    }
    if (v.kind == ActionKind::Free && (u.is_read() || u.is_write()) && u.thread != v.thread && !ordered(d, e) &&
        u.at->action.address - memory->address < memory->size)
      return tell(ErrorKind::UseAfterFree, "memory is freed while another thread may access it", {d, e});
  }
}

template <unsigned W> void Engine<W>::report_leaks(const Graph<W>& g) {
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    if (!g.thread[t].now) continue;
    for (const Allocation& memory : g.thread[t].now->state.allocations) {
      if (!memory.heap) continue;
      const bool freed = std::any_of(g.order.begin(), g.order.end(), [&](Id e) {
        return g[e].kind == ActionKind::Free && g[e].at->action.address == memory.address;
      });
      if (!freed) report(ErrorKind::Leak, "memory is never freed", memory.position, static_cast<std::int32_t>(t), {});
    }
  }
}

template <unsigned W> std::vector<std::uint64_t> Engine<W>::outcome() {
  const Graph<W>& g = graph();
  std::vector<std::uint64_t> values;
  for (const Observation& o : states_.machine().program().observations) {
    if (!o.memory) {
      values.push_back(Machine::first_register(g.thread[o.where].now->state, o.what));
      continue;
    }
    const Location l = states_.locations().find(o.where, o.what);
    if (l == no_location || l >= g.location.size())
      values.push_back(initial_value(states_.machine().program(), o.where, o.what));
    else
      values.push_back(value_of(g.coherence_last(l), l));
  }
  return values;
}

template <unsigned W> Execution Engine<W>::export_graph(std::vector<Id>* numbering) {
  const Graph<W>& g = graph();
  std::vector<Id> ids;
  for (const Id e : g.order)
    if (!g[e].waiting) ids.push_back(e);
  const auto number = [&](Id e) {
    const auto at = std::find(ids.begin(), ids.end(), e);
    return at == ids.end() ? -1 : static_cast<std::int32_t>(at - ids.begin());
  };
  Execution x;
  DependencyTable& deps = states_.machine().dependencies();
  for (const Id e : ids) {
    const Event& v = g[e];
    const Action& a = v.at->action;
    const bool update = a.kind == ActionKind::Write ? a.rmw
                        : v.po_after != none        ? g[v.po_after].is_update()
                                                    : g.thread[v.thread].now->action.rmw;
    x.events.push_back({static_cast<std::int32_t>(v.thread), static_cast<std::int32_t>(v.index), v.kind, v.mode,
                        a.fence, update && (v.is_read() || v.is_write()),
                        a.part == Part::Exclusive || a.conditional >= 0, a.size, a.address, v.value, a.position,
                        number(v.reads_from), number(v.joined), deps.elements(a.address_deps),
                        deps.elements(a.data_deps), deps.elements(a.control_deps)});
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
    const LocalState* now = g.thread[t].now;
    if (!now || now->action.kind == ActionKind::End) continue;
    ended = false;
    x.stuck.push_back({static_cast<std::uint32_t>(t), now->action.position, now->action.kind});
  }
  if (ended) x.outcome = outcome();
  if (numbering) *numbering = std::move(ids);
  return x;
}

// Equal for equal graphs, however their events are numbered.
template <unsigned W> std::uint64_t Engine<W>::fingerprint() const {
  const Graph<W>& g = graph();
  const auto name = [&](Id e) { return e < 0 ? 7 : detail::mix(g[e].thread + 1, g[e].index + 1); };
  std::uint64_t sum = 0;
  for (const Id e : g.order) {
    const Event& v = g[e];
    if (v.waiting) continue;
    std::uint64_t h = detail::mix(name(e), static_cast<std::uint64_t>(v.kind));
    h = detail::mix(detail::mix(h, v.value), v.at->action.address);
    if (v.is_read()) h = detail::mix(h, name(v.reads_from));
    if (v.is_write() && !without_coherence(options_.model)) h = detail::mix(h, name(v.co_before) ^ 0x5555);
    sum += detail::mix(h, 99);
  }
  return sum;
}

// Forgets the thread states that no graph on the stack needs.
template <unsigned W> void Engine<W>::collect_states() {
  std::vector<LocalState*> live;
  for (std::size_t k = 0; k <= depth_; ++k) {
    const Graph<W>& g = *graphs_[k];
    for (const auto& th : g.thread)
      if (th.now) live.push_back(th.now);
    for (const Id e : g.order)
      live.push_back(g[e].at);
  }
  states_.collect(live);
}

} // namespace fencepost
