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
    if (found->made_by != a.made_by)
      return Trouble{ErrorKind::InvalidFree, "malloc, new and new[] each have their own way to free what they give"};
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
  const ViewOf<G> view(g);
  count_complete(view);
  if (options_.leaks && has_heap) leaks(view);
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
  const ViewOf<G> view(g);
  if (undone) report_undone(view);
  if (has_shared_stack) report_ended(g);
  if (process && !assumed) return count_complete(view);
  if (on_the_way(g)) return;
  if (is_duplicate(view)) return;
  count_blocked(view, assumed);
  if (!options_.deadlocks || assumed) return; // an assume that failed would explain itself
  if (std::vector<Id> blame; stalled(g, blame)) report_stalled(view, blame);
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
  if (g[final_write_of(g, l, !without_coherence(options_.model))].value == g[w].value) return false;
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
  if (layout::region(a.address) == layout::stack && v.is_read() && v.reads_from == initial && !copies(*v.at) &&
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
  if (v.is_read() && v.reads_from == initial && !found->zeroed && !copies(*v.at) && !written(a.address, a.size))
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

} // namespace fencepost
