// The primitive sets and relations of a CommitGraph, for a relation plan. Initial writes come first, one per location
// that is accessed; then the events, by their numbers in the graph, so that each keeps its own from one graph to the
// next. A row holds what comes before its event, so only the rows of a thread from its first new event on are made
// again.
#pragma once

#include "graph/commit_graph.hpp"
#include "models/lines.hpp"
#include "models/plan.hpp"
#include "vm/contract.hpp"

namespace fencepost {

// G: a CommitGraph or a SplitGraph.
template <unsigned W, class G = CommitGraph<W>> class CommitStructure {
public:
  // False where events and initial writes together do not fit the width.
  bool build(const G& g, DependencyTable& dependencies, bool success_counts) {
    const std::size_t places = std::max(places_, g.location.size());
    const std::size_t count = places + g.event.size();
    if (count > Bits<W>::capacity) return false;
    if (places != places_ || lines_.empty()) start_again(places, count);
    s.grow(count);
    if (lines_.compare(g)) {
      ++s.version;
      for (const Line& line : lines_)
        forget_end(line);
      lines_.take(g);
      for (std::uint32_t t = 0; t < g.thread.size(); ++t)
        add_end(g, t, dependencies, success_counts);
      add_locations(g);
      add_threads(g);
      add_blocks();
    }
    add_communication(g);
    return true;
  }

  // To be called when local states, which tell events apart, may have been freed.
  void forget() { lines_.forget(); }

  // The number of an event that is shown, in the structure.
  unsigned number(Id e) const {
    FP_ASSERT(e >= 0, "only an event should have a number in the structure");
    return static_cast<unsigned>(places_) + static_cast<unsigned>(e);
  }

  Structure<W> s;

  // The event with a number in the structure; `none` for an initial write.
  Id event_at(unsigned number) const { return number < places_ ? none : static_cast<Id>(number - places_); }

private:
  unsigned at(Id e) const { return number(e); }

  void start_again(std::size_t places, std::size_t count) {
    places_ = places;
    lines_.forget();
    s.reset(count);
  }

  void forget_end(const Line& line) {
    for (std::size_t k = line.same; k < line.slot.size(); ++k)
      if (line.slot[k].event != none) forget_event(at(line.slot[k].event));
  }
  void forget_event(unsigned n) {
    s.events.reset(n);
    for (auto& set : s.set)
      set.reset(n);
    for (auto& relation : s.relation)
      relation[n].clear();
  }

  // The events of a thread from its first new one on.
  void add_end(const G& g, std::uint32_t t, DependencyTable& dependencies, bool success_counts) {
    const Line& line = lines_[t];
    Bits<W> earlier;
    for (std::size_t k = 0; k < line.slot.size(); ++k) {
      const Id e = line.slot[k].event;
      if (e == none) continue;
      if (k >= line.same) {
        add_sets(g, e);
        rel(base_relation::po)[at(e)] = earlier;
        add_dependencies(g, e, dependencies, success_counts);
      }
      earlier.set(at(e));
    }
  }

  std::vector<Bits<W>>& rel(int which) {
    FP_ASSERT(which >= 0 && which < base_relation::count, "a primitive relation should be one");
    return s.relation[static_cast<std::size_t>(which)];
  }
  void put(int which, std::size_t event) {
    FP_ASSERT(which >= 0 && which < base_set::count, "a primitive set should be one");
    s.set[static_cast<std::size_t>(which)].set(static_cast<unsigned>(event));
  }

  void add_sets(const G& g, Id e) {
    const auto& v = g[e];
    s.events.set(at(e));
    if (v.is_read() || v.is_write()) {
      put(v.is_read() ? base_set::reads : base_set::writes, at(e));
      put(base_set::access + static_cast<int>(v.mode), at(e));
      const Action& a = v.action();
      if (a.noreturn) put(base_set::tag, at(e));
      if (a.part == Part::Exclusive || a.conditional >= 0) put(base_set::exclusives, at(e));
      if (v.is_write() && v.pair != none) put(base_set::updates, at(e));
      if (v.is_read() && updates(a.part) && !v.failed_cas) put(base_set::updates, at(e));
    } else if (v.is_fence()) {
      put(base_set::fences, at(e));
      put(base_set::fence + static_cast<int>(v.action().fence), at(e));
    } else if (v.kind == ActionKind::Spawn) {
      put(base_set::other + 3, at(e));
    } else if (v.kind == ActionKind::Join) {
      put(base_set::other + 5, at(e));
    }
  }

  // Who accesses the same location, with its initial write.
  void add_locations(const G& g) {
    std::vector<Bits<W>> here(g.location.size());
    Bits<W> initials;
    for (const Line& line : lines_)
      for (const Seen& one : line.slot)
        if (one.touches) here[one.location].set(at(one.event)), initials.set(one.location);
    (s.set[base_set::initial_writes] - initials).each([&](unsigned i) { forget_event(i); });
    s.set[base_set::initial_writes] = initials;
    s.set[base_set::writes] |= initials;
    s.set[base_set::access + static_cast<int>(Mode::Na)] |= initials;
    s.events |= initials;
    initials.each([&](unsigned l) {
      rel(base_relation::same_thread)[l] = initials;
      here[l].set(l);
      here[l].each([&](unsigned i) { rel(base_relation::loc)[i] = here[l]; });
    });
  }

  void add_communication(const G& g) {
    rel(base_relation::rf).assign(s.n, {});
    rel(base_relation::co).assign(s.n, {});
    for (Location l = 0; l < g.location.size(); ++l) {
      Bits<W> earlier;
      earlier.set(static_cast<unsigned>(l));
      for (Id w = g.location[l].first; w != none; w = g[w].co_after) {
        FP_ASSERT(!earlier.test(at(w)), "coherence should have each write once");
        rel(base_relation::co)[at(w)] = earlier;
        earlier.set(at(w));
      }
    }
    for (const Id r : g.order) {
      if (!g[r].is_read() || g[r].hidden || g[r].stuck || g[r].reads_from == none) continue;
      const Id w = g[r].reads_from;
      rel(base_relation::rf)[at(r)].set(w == initial ? static_cast<unsigned>(g[r].location) : at(w));
    }
  }

  // Who is in one thread with whom, and what starting and joining threads orders.
  void add_threads(const G& g) {
    auto& spawn = rel(base_relation::spawn);
    bool some = false;
    for (const auto& th : g.thread)
      some |= th.spawned_by != none;
    if (some || spawns_) spawn.assign(s.n, {});
    spawns_ = some;
    std::vector<Bits<W>> all(lines_.size());
    for (std::size_t t = 0; t < lines_.size(); ++t) {
      for (const Seen& one : lines_[t].slot)
        if (one.event != none) all[t].set(at(one.event));
      all[t].each([&](unsigned i) { rel(base_relation::same_thread)[i] = all[t]; });
    }
    if (!some) return;
    for (std::size_t t = 0; t < g.thread.size(); ++t) {
      if (const Id by = g.thread[t].spawned_by; by != none) all[t].each([&](unsigned i) { spawn[i].set(at(by)); });
      for (const Seen& one : lines_[t].slot)
        if (one.event != none && one.kind == ActionKind::Join) spawn[at(one.event)] |= all[g[one.event].action().value];
    }
  }

  // Who stands in one atomic block.
  void add_blocks() {
    for (const Line& line : lines_) {
      Bits<W> block;
      bool inside = false;
      const auto close_block = [&] { block.each([&](unsigned i) { rel(base_relation::atomic)[i] = block; }); };
      for (const Seen& one : line.slot) {
        if (one.event == none) continue;
        if (one.kind == ActionKind::AtomicBegin || one.kind == ActionKind::AtomicEnd) {
          close_block();
          block.clear();
          inside = one.kind == ActionKind::AtomicBegin;
        } else if (inside) {
          block.set(at(one.event));
        }
      }
      close_block();
    }
  }

  void add_dependencies(const G& g, Id e, DependencyTable& dependencies, bool success_counts) {
    const auto& v = g[e];
    const Action& a = v.action();
    const auto add = [&](int which, int picks, DepSet deps) {
      for (const std::uint32_t d : dependencies.elements(deps)) {
        if (d & success_dependency && !success_counts) continue;
        const Id source = g.at_slot(v.thread, slot_of(d));
        if (source == none || g[source].hidden) continue;
        if (d & success_dependency && !g[source].is_write()) continue; // a choice
        rel(which)[at(e)].set(at(source));
        if (dependencies.only_picks(deps, d)) rel(picks)[at(e)].set(at(source));
      }
    };
    add(base_relation::addr, base_relation::pick_addr, a.address_deps);
    add(base_relation::data, base_relation::pick_data, a.data_deps);
    add(base_relation::ctrl, base_relation::pick_ctrl, a.control_deps);
    if (v.is_write() && v.pair != none) rel(base_relation::rmw)[at(e)].set(at(v.pair));
  }

  std::size_t places_ = 0; // numbers kept for initial writes
  Lines<G> lines_;         // the last graph: where it is the same, only rf and co are looked at
  bool spawns_ = false;    // some thread was started by another
};

} // namespace fencepost
