// What the tuned judges of hardware models share: where writes stand in coherence, which events starting and joining
// threads orders, coherence itself, and nothing between the halves of an update. docs/how/power.md says why each judge
// says what the model's file says; tests and debug builds hold it to the plan.
#pragma once

#include "graph/split_graph.hpp"
#include "models/lines.hpp"
#include "models/model.hpp"
#include "vm/dependencies.hpp"

#include <algorithm>
#include <optional>

namespace fencepost {

template <unsigned W> class JudgedGraph {
public:
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  explicit JudgedGraph(const DependencyTable& table) : dependencies(table) {}

  // Looks at a graph: threads that changed, places in coherence, and who is started and joined by whom.
  void look(const G& g) {
    changed = lines.compare(g);
    if (changed) lines.take(g);
    find_places(g);
    if (changed) find_threads(g);
  }
  void forget() { lines.forget(); }

  // The place of an access in coherence: 0 for the initial value, the same for a write and who reads it; none where it
  // is not known.
  std::int32_t place(const G& g, Id e) const {
    const SplitEvent& v = g[e];
    const Id w = v.is_read() ? v.reads_from : e;
    if (w == initial) return 0;
    return w == none || g[w].co_before == none ? none : place_[static_cast<std::size_t>(w)];
  }

  // SC for each location: along a thread no access goes back in coherence, and a write goes on.
  bool coherent(const G& g) {
    newest_.resize(g.location.size());
    for (const Line& line : lines) {
      ++round_;
      for (const Seen& one : line.slot) {
        if (!one.is_access()) continue;
        const std::int32_t here = place(g, one.event);
        if (here == none) continue;
        auto& [round, newest] = newest_[one.location];
        if (round == round_ && (one.is_write() ? here <= newest : here < newest)) return false;
        newest = round == round_ ? std::max(newest, here) : here;
        round = round_;
      }
    }
    return true;
  }

  // Whether nothing of another thread lies between what the read of an update saw and what it wrote. Where
  // `own_excuses`, nothing does count if a write of the own thread lies there, too.
  bool undivided(const G& g, bool own_excuses) const {
    for (const Line& line : lines)
      for (const Seen& one : line.slot)
        if (one.is_write() && one.pair != none && divided(g, one, own_excuses)) return false;
    return true;
  }

  // The accesses before a slot of a thread by starting and joining threads.
  Set by_threads(std::size_t t, std::size_t slot) const {
    FP_ASSERT(t < threads_.size(), "a thread should have been seen");
    Set found = threads_[t].begin;
    for (const auto& [at, joined] : threads_[t].joins)
      if (at < slot) found |= joined;
    return found;
  }
  bool has_threads = false; // some thread is started by another

  // Calls f(event, which, only_pick) for the reads that an event depends on; which: 0 address, 1 data, 2 control.
  template <class F> void dependencies_of(const G& g, const Seen& one, F&& f) const {
    const Action& a = one.action();
    const DepSet sets[] = {a.address_deps, a.data_deps, a.control_deps};
    for (int which = 0; which < 3; ++which)
      for (const std::uint32_t d : dependencies.elements(sets[which])) {
        if (d & success_dependency) continue; // starts at a write
        const Id source = g.at_slot(g[one.event].thread, slot_of(d));
        if (source == none || !g[source].is_read() || !g.shown(source)) continue;
        f(source, which, dependencies.only_picks(sets[which], d));
      }
  }

  Lines<G> lines;
  bool changed = true; // since the graph before, in more than rf and co
  const DependencyTable& dependencies;

private:
  struct Thread {
    Set begin, all, end; // accesses: before its first event; its own; before what joins it
    std::vector<std::pair<std::size_t, Set>> joins;
    bool known = false;
  };

  void find_places(const G& g) {
    place_.resize(g.event.size());
    for (const auto& l : g.location) {
      std::int32_t at = 0;
      for (Id w = l.first; w != none; w = g[w].co_after)
        place_[static_cast<std::size_t>(w)] = ++at;
    }
  }

  bool divided(const G& g, const Seen& one, bool own_excuses) const {
    const Id w = one.event, r = one.pair;
    if (g[w].co_before == none || !g.shown(r) || place(g, r) == none || g[w].co_before == g[r].reads_from) return false;
    bool other = false, own = false;
    for (Id x = g.coherence_after(g[r].reads_from, g[r].location); x != none && place(g, x) < place(g, w);
         x = g[x].co_after)
      (g[x].thread == g[w].thread ? own : other) = true;
    return other && !(own_excuses && own);
  }

  void find_threads(const G& g) {
    threads_.assign(g.thread.size(), {});
    has_threads = std::any_of(g.thread.begin(), g.thread.end(), [](const auto& th) { return th.spawned_by != none; });
    if (!has_threads) return;
    for (std::size_t t = 0; t < threads_.size(); ++t)
      for (const Seen& one : lines[t].slot)
        if (one.is_access()) threads_[t].all.set(g.bit(one.event));
    for (std::size_t t = 0; t < threads_.size(); ++t)
      find_thread(g, t);
  }

  // pre: nobody starts or joins itself, over however many others.
  void find_thread(const G& g, std::size_t t) {
    Thread& th = threads_[t];
    const Id by = g.thread[t].spawned_by;
    if (!th.known && by != none) find_thread(g, g[by].thread); // which may join this one
    if (th.known) return;
    th.known = true;
    if (by != none) {
      const std::size_t parent = g[by].thread;
      th.begin = by_threads(parent, g[by].slot);
      for (std::size_t k = 0; k < g[by].slot; ++k)
        if (const Seen& one = lines[parent].slot[k]; one.is_access()) th.begin.set(g.bit(one.event));
    }
    for (std::size_t k = 0; k < lines[t].slot.size(); ++k) {
      const Seen& one = lines[t].slot[k];
      if (one.event == none || one.kind != ActionKind::Join) continue;
      const std::size_t child = one.action().value;
      find_thread(g, child);
      th.joins.emplace_back(k, threads_[child].all | threads_[child].end);
    }
    th.end = by_threads(t, lines[t].slot.size());
  }

  std::vector<std::int32_t> place_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> newest_; // by location: in which round, and how far
  std::uint64_t round_ = 0;
  std::vector<Thread> threads_;
};

} // namespace fencepost
