// The definition of Reporter, included by the engines.
#pragma once

#include "explore/reporter.hpp"

namespace fencepost {

template <class G> std::optional<Trouble> Reporter<G>::fault(const G& g, std::uint32_t t) const {
  const LocalState& now = *g.thread[t].now;
  const Action& a = now.action;
  switch (a.kind) {
  case ActionKind::Error: {
    const std::string own = a.string ? states_.machine().program().strings[a.string] : std::string();
    return Trouble{a.error, own.empty() ? a.message : own};
  }
  case ActionKind::AtomicBegin:
  case ActionKind::AtomicEnd:
    return Trouble{ErrorKind::Unsupported, "an atomic block, which this engine does not know"};
  case ActionKind::Join:
    if (a.value >= g.thread.size() || !g.thread[a.value].now)
      return Trouble{ErrorKind::BadJoin, "join of a thread that does not exist"};
    return {};
  case ActionKind::Free: {
    if (a.address == 0) return {};
    const Allocation* found = layout::region(a.address) == layout::heap ? allocation_of(g, a.address) : nullptr;
    if (!found || found->address != a.address)
      return Trouble{ErrorKind::InvalidFree, "free of a pointer that malloc did not give"};
    return {};
  }
  case ActionKind::Read:
  case ActionKind::Write: {
    if (now.mixed) return Trouble{ErrorKind::MixedSize, "accesses of different sizes to the same memory"};
    const std::uint64_t region = layout::region(a.address);
    if (region != layout::heap && region != layout::stack) return {};
    const Allocation* found = allocation_of(g, a.address);
    if (!found) return Trouble{ErrorKind::OutOfBounds, "access outside every object"};
    if (a.address - found->address + a.size > found->size)
      return Trouble{ErrorKind::OutOfBounds, "access past the end of an object"};
    return {};
  }
  default:
    return {};
  }
}

// The allocation that holds an address of the heap or a shared stack, by whoever made it.
template <class G> const Allocation* Reporter<G>::allocation_of(const G& g, std::uint64_t address) const {
  const auto owner = static_cast<std::size_t>(layout::owner(address));
  if (owner >= g.thread.size() || !g.thread[owner].now) return nullptr;
  const auto& all = g.latest(static_cast<std::uint32_t>(owner))->state.allocations;
  for (auto a = all.rbegin(); a != all.rend(); ++a)
    if (address >= a->address && address - a->address < std::max<std::uint64_t>(a->size, 1)) return &*a;
  return nullptr;
}

template <class G> void Reporter<G>::complete(const G& g) {
  if (has_shared_stack) report_ended(g);
  count_complete(g);
  if (options_.leaks && has_heap) leaks(g);
}

template <class G> void Reporter<G>::count_complete(const G& g) {
  if (is_duplicate(g)) return;
  add_to_digest(g, Ending::Complete);
  ++results_.executions;
  if (!states_.machine().program().observations.empty()) {
    const auto [known, fresh] = results_.outcomes.try_emplace(outcome(g), 0);
    ++known->second;
    if (fresh && options_.keep_outcomes) results_.kept.push_back(export_graph(g));
  }
  if (results_.kept.size() < options_.keep_executions) results_.kept.push_back(export_graph(g));
}

template <class G> void Reporter<G>::blocked(const G& g) {
  bool process = false, assumed = false, undone = false;
  for (const auto& th : g.thread) {
    if (!th.now) continue;
    const Action& a = th.now->action;
    if (a.shortcut) return; // the execution with the shorter way stands for it
    process |= a.kind == ActionKind::End && a.process;
    assumed |= a.assumed();
    undone |= a.undone && !a.attempt;
  }
  if (undone) report_undone(g);
  if (has_shared_stack) report_ended(g);
  if (process && !assumed) return count_complete(g);
  if (on_the_way(g)) return;
  if (is_duplicate(g)) return;
  add_to_digest(g, Ending::Blocked);
  ++results_.blocked;
  if (assumed && results_.executions == 0)
    for (const auto& th : g.thread)
      if (th.now && th.now->action.assumed()) results_.assumed.insert(th.now->action.position);
  if (options_.deadlocks && !assumed) report_stalled(g);
}

// Whether a thread spins and has not seen the newest values: it would look again, and other executions say what then.
template <class G> bool Reporter<G>::on_the_way(const G& g) const {
  if (without_coherence(options_.model)) return false;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t)
    if (spins_on(g, t)) return true;
  return false;
}

template <class G> bool Reporter<G>::spins_on(const G& g, std::uint32_t t) const {
  if (!g.thread[t].now) return false;
  const Action& a = g.thread[t].now->action;
  const bool spins = a.kind == ActionKind::Block && a.spin && !a.alone && !g.thread[t].now->state.blocks;
  return spins && !repeats(g, g.order_of(t), a.value);
}

// Without a coherence order a thread may wait where nothing says for how long. pre: nobody moves.
template <class G> void Reporter<G>::report_unsettled(const G& g) {
  std::int32_t waits = -1;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    if (!g.thread[t].now) continue;
    const Action& a = g.thread[t].now->action;
    if (a.assumed() || g.stopped(t) || (a.kind == ActionKind::End && a.process)) return;
    if (waits < 0 && a.kind != ActionKind::End && a.kind != ActionKind::Join) waits = static_cast<std::int32_t>(t);
  }
  if (!options_.deadlocks || waits < 0) return;
  report(g, ErrorKind::LeftOut,
         "a thread waits here, and without an order of writes nothing says whether for ever: a model with a coherence "
         "order does",
         g.thread[static_cast<std::size_t>(waits)].now->action.position, waits, {});
}

// To spin in a loop for ever is a violation of liveness, told with the loop; to wait for a lock, a thread and the like
// is a deadlock, told with a thread that waits for something else than a thread that waits, if there is one. pre: no
// assume failed, which would explain itself.
template <class G> void Reporter<G>::report_stalled(const G& g) {
  std::vector<Id> blame;
  if (!stalled(g, blame)) return;
  std::int32_t waits = -1;
  bool joins = true;
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    if (!g.thread[t].now || g.thread[t].now->action.kind == ActionKind::End) continue;
    const Action& a = g.thread[t].now->action;
    if (a.spin)
      return report(g, ErrorKind::Liveness, "the loop spins for ever: nobody is left to end it", a.loop,
                    static_cast<std::int32_t>(t), blame);
    if (waits >= 0 && (!joins || a.kind == ActionKind::Join)) continue;
    waits = static_cast<std::int32_t>(t);
    joins = a.kind == ActionKind::Join;
  }
  report(g, ErrorKind::Deadlock, "threads wait for what nobody will do",
         g.thread[static_cast<std::size_t>(waits)].now->action.position, waits, blame);
}

// A spin iteration that adds something and takes it back can be left out like one without effect if no other thread
// made use of what was there in between: then our knowledge ends here. It does not count where the reader is itself in
// an iteration that is left out and writes nothing, still waits, or only adds to what it read.
// Told of every such loop in the graph: one may go round because of another.
template <class G> void Reporter<G>::report_undone(const G& g) {
  const auto undone = [&](std::uint32_t t) {
    const auto* now = g.thread[t].now;
    return now && now->action.kind == ActionKind::Block && now->action.undone && !now->action.attempt;
  };
  bool used = false;
  for (std::uint32_t t = 0; t < g.thread.size() && !used; ++t) {
    if (!undone(t)) continue;
    std::vector<Id> mine; // its writes in the iteration, newest first
    const std::vector<Id> events = g.order_of(t);
    for (std::size_t k = events.size(); k > g.thread[t].now->action.value; --k)
      if (events[k - 1] != none && g.shown(events[k - 1]) && g[events[k - 1]].is_write()) mine.push_back(events[k - 1]);
    used = std::any_of(mine.begin(), mine.end(), [&](Id w) { return watched(g, w, mine); });
  }
  for (std::uint32_t t = 0; t < g.thread.size() && used; ++t)
    if (undone(t))
      report(g, ErrorKind::LeftOut,
             "another thread uses what an iteration of the loop adds and takes back: what comes after such an "
             "iteration is not explored (--no-spin-detection explores it)",
             g.thread[t].now->action.loop, static_cast<std::int32_t>(t), {});
}

// Whether another thread uses a value that is there between w and the next write among `mine`. One that writes there
// does, unless it adds: sums come out the same in every order. One that stops in an iteration that writes does as well:
// others may see what it wrote once this loop is over, and there is no graph of that.
template <class G> bool Reporter<G>::watched(const G& g, Id w, const std::vector<Id>& mine) const {
  const auto of_mine = [&](Id e) { return std::find(mine.begin(), mine.end(), e) != mine.end(); };
  const auto l = g[w].location;
  const Id newest = *std::find_if(mine.begin(), mine.end(), [&](Id e) { return g[e].location == l; });
  if (newest == w) return false;
  const auto uses = [&](Id d, Id v) {
    const auto& u = g[d];
    if (!g.shown(d) || !u.is_read() || u.reads_from != v || u.thread == g[w].thread) return false;
    const Action& now = g.thread[u.thread].now->action;
    if (now.kind == ActionKind::Block && now.spin && !now.undone && g.index_of(d) >= now.value) return false;
    const Instruction& i = states_.machine().program().code[u.at->state.pc];
    return !(adds(i) && i.dst < 0);
  };
  for (Id v = w; v != none && (v == w || !of_mine(v)); v = g[v].co_after) {
    if (v != w && !adds(states_.machine().program().code[g[v].at->state.pc])) return true;
    if (std::any_of(g.order.begin(), g.order.end(), [&](Id d) { return uses(d, v); })) return true;
  }
  return false;
}

// Whether a read only copies what it finds.
template <class G> bool Reporter<G>::copies(Id e, const G& g) const {
  const Instruction& i = states_.machine().program().code[g[e].at->state.pc];
  return i.opcode == Opcode::Load && (i.flags & flag::copies);
}

// Whether the threads that have not ended wait for one another, or for nobody. A spinning thread counts where every
// read of its last iteration saw the newest value: the next iteration would be the same.
template <class G> bool Reporter<G>::stalled(const G& g, std::vector<Id>& blame) const {
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    const auto& th = g.thread[t];
    if (!th.now || th.now->action.kind == ActionKind::End) continue;
    const Action& a = th.now->action;
    const std::vector<Id> events = g.order_of(t);
    for (auto e = events.rbegin(); e != events.rend(); ++e)
      if (*e != none && g.shown(*e)) {
        blame.push_back(*e);
        break;
      }
    // In an atomic block nobody writes anything newer.
    if (a.kind == ActionKind::Block && !th.now->state.blocks && !repeats(g, events, a.value)) return false;
  }
  return true;
}

// Whether a thread that has come round would see the same again: what it read is the newest, but for what it wrote
// itself since, and for what others write in rounds after which they stand where they stood, and which come to nothing
// together. (Two threads may wait for one lock by exchanges that write what they find.)
template <class G> bool Reporter<G>::repeats(const G& g, const std::vector<Id>& events, std::uint64_t since) const {
  for (std::size_t k = since; k < events.size(); ++k) {
    const Id e = events[k];
    if (e != none && g[e].is_write() && !g[e].at->action.rmw && serves(g, e)) return false;
    if (e == none || !g[e].is_read()) continue;
    std::uint64_t added = 0; // by others
    for (Id w = g.coherence_after(g[e].reads_from, g[e].location); w != none; w = g.coherence_after(w, g[e].location)) {
      if (g[w].thread == g[e].thread && g.index_of(w) >= since) continue; // what it takes back itself
      if (!comes_round(g, w)) return false;
      added += g[w].at->action.value - g[w].at->answer;
    }
    if ((added & mask_of(8u * g[e].at->action.size)) != 0) return false;
  }
  return true;
}

// Whether a store that a round makes each time, of what its thread had found there, lets somebody go on: others have
// stored something else since, and one who waits for this, or looks there in its own rounds, will find it again.
template <class G> bool Reporter<G>::serves(const G& g, Id w) const {
  const Location l = g[w].location;
  if (g[final_write(g, l)].value == g[w].value) return false;
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    if (!g.thread[t].now) continue;
    const LocalState& now = *g.thread[t].now;
    const Action& a = now.action;
    const bool waits_here = a.kind == ActionKind::Read && waits(a.part) && now.location == l;
    if (waits_here && states_.machine().satisfied(now.state, a, g[w].value)) return true;
    if (a.kind != ActionKind::Block) continue;
    const std::vector<Id> events = g.order_of(t);
    for (std::size_t k = a.value; k < events.size(); ++k)
      if (events[k] != none && g[events[k]].is_read() && g[events[k]].location == l) return true;
  }
  return false;
}

// Whether a write is that of an update in the last round of a thread that spins.
template <class G> bool Reporter<G>::comes_round(const G& g, Id w) const {
  const auto& v = g[w];
  const auto* now = g.thread[v.thread].now;
  if (!now || now->action.kind != ActionKind::Block || !now->action.spin || now->action.alone) return false;
  return v.at->action.rmw && v.at->parent && g.index_of(w) >= now->action.value;
}

template <class G>
void Reporter<G>::report(const G& g, ErrorKind kind, const std::string& message, std::uint32_t position,
                         std::int32_t thread, const std::vector<Id>& blame) {
  if (!detail::is_bound(kind) && !options_.keep_going) failed_ = true;
  if (kind == ErrorKind::MixedSize && thread >= 0) ask_for_cuts(*g.thread[static_cast<std::size_t>(thread)].now);
  const std::size_t before = states_.prologue().steps().size();
  const bool every = !detail::is_bound(kind) && results_.findings.size() < options_.keep_errors;
  results_.every_error |= every;
  Finding* known = nullptr;
  for (Finding& f : results_.findings)
    if (!every && f.kind == kind && f.position == position) known = &f;
  if (known != nullptr) {
    ++known->count;
    if (detail::is_bound(kind) || before + g.order.size() >= known->execution.events.size()) return;
  }
  std::vector<Id> numbering;
  Finding f;
  f.kind = kind;
  f.message = message;
  f.position = position;
  f.thread = thread;
  f.execution = export_graph(g, &numbering);
  for (const Id e : blame) {
    const auto at = std::find(numbering.begin(), numbering.end(), e);
    if (at != numbering.end())
      f.events.push_back(static_cast<std::int32_t>(at - numbering.begin() + static_cast<std::ptrdiff_t>(before)));
  }
  if (known == nullptr) {
    results_.findings.push_back(std::move(f));
    return;
  }
  f.count = known->count;
  *known = std::move(f);
}

// The exploration ends here: it is to begin again with plain accesses cut into pieces.
template <class G> void Reporter<G>::ask_for_cuts(const LocalState& now) {
  if (!now.mixed) return;
  const auto found = states_.locations().cuts(now.action.address, now.action.size);
  results_.cuts.insert(results_.cuts.end(), found.begin(), found.end());
  failed_ = true;
}

// What a thread has on its stack is gone when it ends: each access of another thread should happen before its last
// event. With main the process ends, and nobody accesses anything.
template <class G> void Reporter<G>::report_ended(const G& g) {
  for (const Id e : g.order) {
    const auto& v = g[e];
    if (!g.shown(e) || !(v.is_read() || v.is_write()) || layout::region(v.at->action.address) != layout::stack)
      continue;
    const auto owner = static_cast<std::uint32_t>(layout::owner(v.at->action.address));
    if (owner == v.thread || owner >= g.thread.size() || !g.thread[owner].now) continue;
    const Action& now = g.thread[owner].now->action;
    if (now.kind != ActionKind::End || now.process) continue;
    const std::vector<Id> events = g.order_of(owner);
    if (events.empty() || events.back() == none || g.known_before(e, events.back())) continue;
    return report(g, ErrorKind::UseAfterFree,
                  g.known_before(events.back(), e) ? "access to a local variable of a thread that has ended"
                                                   : "access to a local variable of a thread that may end first",
                  v.at->action.position, static_cast<std::int32_t>(v.thread), {e});
  }
}

template <class G> bool Reporter<G>::memory(const G& g, Id e) {
  const auto& v = g[e];
  const Action& a = v.at->action;
  if (layout::region(a.address) == layout::stack && v.is_read() && v.reads_from == initial && !copies(e, g) &&
      !written(a.address, a.size)) {
    report(g, ErrorKind::Uninitialised, "read of stack memory that nobody has written", a.position,
           static_cast<std::int32_t>(v.thread), {e});
    return true;
  }
  if (!has_heap || layout::region(a.address) != layout::heap) return false;
  const Allocation* found = allocation_of(g, a.address);
  if (!found) return false;
  const auto tell = [&](ErrorKind kind, const char* message, std::vector<Id> blame) {
    report(g, kind, message, a.position, static_cast<std::int32_t>(v.thread), blame);
    return true;
  };
  if (v.is_read() && v.reads_from == initial && !found->zeroed && !copies(e, g) && !written(a.address, a.size))
    return tell(ErrorKind::Uninitialised, "read of heap memory that nobody has written", {e});
  if (!has_free) return false;
  if (states_.prologue().freed(found->address))
    return v.kind == ActionKind::Free ? tell(ErrorKind::DoubleFree, "memory is freed twice", {e})
                                      : tell(ErrorKind::UseAfterFree, "access to memory that was freed", {e});
  for (const Id d : g.order) {
    const auto& u = g[d];
    if (d == e || !g.shown(d)) continue;
    if (u.kind == ActionKind::Free && u.at->action.address == found->address) {
      if (v.kind == ActionKind::Free) return tell(ErrorKind::DoubleFree, "memory is freed twice", {d, e});
      if (g.known_before(e, d)) continue;
      return tell(ErrorKind::UseAfterFree,
                  g.known_before(d, e) ? "access to memory that was freed"
                                       : "access to memory that another thread may free first",
                  {d, e});
    }
    if (v.kind == ActionKind::Free && (u.is_read() || u.is_write()) && u.thread != v.thread && !g.known_before(d, e) &&
        u.at->action.address - found->address < found->size)
      return tell(ErrorKind::UseAfterFree, "memory is freed while another thread may access it", {d, e});
  }
  return false;
}

template <class G> void Reporter<G>::leaks(const G& g) {
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    if (!g.thread[t].now) continue;
    for (const Allocation& memory : g.thread[t].now->state.allocations) {
      if (!memory.heap || states_.prologue().freed(memory.address)) continue;
      const bool freed = std::any_of(g.order.begin(), g.order.end(), [&](Id e) {
        return g[e].kind == ActionKind::Free && g[e].at->action.address == memory.address;
      });
      if (!freed)
        report(g, ErrorKind::Leak, "memory is never freed", memory.position, static_cast<std::int32_t>(t), {});
    }
  }
}

template <class G> std::vector<std::uint64_t> Reporter<G>::outcome(const G& g) {
  std::vector<std::uint64_t> values;
  for (const Observation& o : states_.machine().program().observations) {
    if (!o.memory) {
      values.push_back(Machine::first_register(g.thread[o.where].now->state, o.what));
      continue;
    }
    values.push_back(final_memory(g, o.where, o.what));
  }
  return values;
}

// What `size` bytes of memory hold at the end. Accesses may have been to parts of them, or to more.
template <class G> std::uint64_t Reporter<G>::final_memory(const G& g, std::uint64_t address, unsigned size) {
  const Locations& places = states_.locations();
  std::uint64_t value = states_.prologue().value(states_.machine().program(), address, size);
  for (Location l = 0; l < std::min<std::size_t>(places.count(), g.location.size()); ++l) {
    const std::uint64_t first = std::max(address, places.address(l));
    const std::uint64_t end = std::min(address + size, places.address(l) + places.size(l));
    if (first >= end || g.location[l].last == none) continue;
    const std::uint64_t mask = end - first == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * (end - first)) - 1;
    const std::uint64_t part = g[final_write(g, l)].value >> 8 * (first - places.address(l)) & mask;
    const std::uint64_t shift = 8 * (first - address);
    value = (value & ~(mask << shift)) | part << shift;
  }
  return value;
}

// The coherence-last write; without a coherence order one that nothing is known to follow, the last thread's first.
template <class G> Id Reporter<G>::final_write(const G& g, Location l) const {
  Id found = g.location[l].last;
  if (!without_coherence(options_.model)) return found;
  const auto rank = [&](Id w) {
    return std::tuple((g.prefix_of(w) & g.location[l].writes).count(), g[w].thread, g.index_of(w));
  };
  for (Id w = g.location[l].first; w != none; w = g[w].co_after)
    if (rank(found) < rank(w)) found = w;
  return found;
}

template <class G> Execution Reporter<G>::export_graph(const G& g, std::vector<Id>* numbering) {
  // Program-order indices count the events that are shown; those of the machine also count writes that never happened.
  std::vector<std::vector<std::int32_t>> index(g.thread.size());
  std::vector<std::int32_t> index_of(g.event.size(), -1);
  for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
    std::int32_t next = 0;
    for (const Id e : g.order_of(t)) {
      index[t].push_back(e != none && g.shown(e) ? next++ : -1);
      if (e != none) index_of[static_cast<std::size_t>(e)] = index[t].back();
    }
  }
  std::vector<Id> ids;
  std::vector<std::int32_t> numbers(g.event.size(), -1);
  for (const Id e : g.order)
    if (g.shown(e)) {
      numbers[static_cast<std::size_t>(e)] = static_cast<std::int32_t>(ids.size());
      ids.push_back(e);
    }
  const auto number = [&](Id e) { return e < 0 ? -1 : numbers[static_cast<std::size_t>(e)]; };
  DependencyTable& table = states_.machine().dependencies();
  Execution x;
  for (const Id e : ids) {
    const auto& v = g[e];
    const Action& a = v.at->action;
    const auto deps = [&](DepSet set) {
      std::vector<std::uint32_t> found;
      for (const std::uint32_t d : table.elements(set)) {
        if (d & success_dependency && !options_.success_dependencies) continue;
        const std::size_t slot = slot_of(d);
        if (const Id from = slot < g.order_of(v.thread).size() ? g.order_of(v.thread)[slot] : none;
            d & success_dependency && (from == none || !g[from].is_write()))
          continue; // a choice
        if (slot < index[v.thread].size() && index[v.thread][slot] >= 0)
          if (const bool picks = table.only_picks(set, d); picks || !(d & pick_dependency))
            found.push_back(static_cast<std::uint32_t>(index[v.thread][slot]) | (picks ? pick_dependency : 0));
      }
      return found;
    };
    x.events.push_back({static_cast<std::int32_t>(v.thread), index_of[static_cast<std::size_t>(e)], v.kind, v.mode,
                        a.fence, g.updates(e), a.part == Part::Exclusive || a.conditional >= 0, a.noreturn, a.size,
                        a.address, v.value, a.position, number(v.reads_from), number(g.joined(e)), deps(a.address_deps),
                        deps(a.data_deps), deps(a.control_deps)});
  }
  for (Location l = 0; l < g.location.size() && !without_coherence(options_.model); ++l) {
    std::vector<std::int32_t> writes;
    for (Id w = g.location[l].first; w != none; w = g[w].co_after)
      writes.push_back(number(w));
    if (!writes.empty()) x.coherence.emplace_back(states_.locations().address(l), std::move(writes));
  }
  bool ended = true, process = false;
  for (std::size_t t = 0; t < g.thread.size(); ++t) {
    x.spawned_by.push_back(number(g.thread[t].spawned_by));
    const LocalState* now = g.thread[t].now;
    process |= now && now->action.process;
    if (!now || now->action.kind == ActionKind::End) continue;
    ended = false;
    x.stuck.push_back({static_cast<std::uint32_t>(t), now->action.position, now->action.kind});
  }
  if (ended || process) x.outcome = outcome(g);
  prepend(x);
  if (numbering) *numbering = std::move(ids);
  return x;
}

// Puts what the first thread did before there were others in front, as if it had been explored.
template <class G> void Reporter<G>::prepend(Execution& x) {
  const Prologue& prologue = states_.prologue();
  const auto shift = static_cast<std::int32_t>(prologue.steps().size());
  if (shift == 0) return;
  const auto moved = [&](std::int32_t& number) {
    if (number >= 0) number += shift;
  };
  for (auto& e : x.events) {
    moved(e.reads_from);
    moved(e.joined);
    if (e.thread == 0) e.index += shift;
    if (e.kind != ActionKind::Read || e.reads_from >= 0) continue;
    e.reads_from = std::max(prologue.writer(e.address, e.size), Prologue::untouched);
  }
  for (auto& spawn : x.spawned_by)
    moved(spawn);
  std::map<std::uint64_t, std::vector<std::int32_t>> coherence;
  std::vector<Execution::Event> before;
  for (const auto& s : prologue.steps()) {
    const auto number = static_cast<std::int32_t>(before.size());
    if (s.kind == ActionKind::Write) coherence[s.address].push_back(number);
    before.push_back({0,
                      number,
                      s.kind,
                      s.mode,
                      s.fence,
                      s.rmw,
                      false,
                      s.noreturn,
                      s.size,
                      s.address,
                      s.value,
                      s.position,
                      std::max(s.reads_from, Prologue::untouched),
                      -1,
                      {},
                      {},
                      {}});
  }
  for (auto& [address, writes] : x.coherence)
    for (const std::int32_t w : writes)
      coherence[address].push_back(w + shift);
  x.coherence.assign(coherence.begin(), coherence.end());
  x.events.insert(x.events.begin(), std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
  results_.in_parts |= overlap(x);
}

// Whether some accesses share bytes and are not to the same ones.
template <class G> bool Reporter<G>::overlap(const Execution& x) {
  std::set<std::pair<std::uint64_t, std::uint8_t>> places;
  for (const auto& e : x.events)
    if (e.kind == ActionKind::Read || e.kind == ActionKind::Write) places.emplace(e.address, e.size);
  for (auto p = places.begin(); p != places.end(); ++p)
    if (const auto next = std::next(p); next != places.end() && next->first < p->first + p->second) return true;
  return false;
}

// Equal for equal graphs, however their events are numbered.
template <class G> std::uint64_t Reporter<G>::fingerprint(const G& g) const {
  const auto name = [&](Id e) { return e < 0 ? 7 : detail::mix(g[e].thread + 1, g.index_of(e) + 1); };
  std::uint64_t sum = 0;
  for (const Id e : g.order) {
    if (!g.shown(e)) continue;
    const auto& v = g[e];
    std::uint64_t h = detail::mix(name(e), static_cast<std::uint64_t>(v.kind));
    h = detail::mix(detail::mix(h, v.value), v.at->action.address);
    if (v.is_read()) h = detail::mix(h, name(v.reads_from));
    if (v.is_write() && !without_coherence(options_.model)) h = detail::mix(h, name(v.co_before) ^ 0x5555);
    sum += detail::mix(h, 99);
  }
  return sum;
}

} // namespace fencepost
