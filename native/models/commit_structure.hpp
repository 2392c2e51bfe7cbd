// The primitive sets and relations of a CommitGraph, for a relation plan. Initial writes come first, one per location
// that is accessed; then the events, by their numbers in the graph, so that each keeps its own from one graph to the
// next.
#pragma once

#include "graph/commit_graph.hpp"
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
    if (places != places_ || !remembers(g)) {
      places_ = places;
      s.reset(count);
      add_initials(g);
      for (const Id e : g.order)
        if (!g[e].hidden && !g[e].stuck) add_sets(g, e);
      add_locations(g);
      add_threads(g, dependencies, success_counts);
      remember(g);
    }
    FP_ASSERT(s.n >= places_ + g.event.size() || remembers(g), "a structure should have room for all events");
    add_communication(g);
    return true;
  }

  // To be called when local states, which tell events apart, may have been freed.
  void forget() { seen_.clear(); }

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
  static bool accessed(const G& g, Location l) { return g.location[l].writes.any() || g.location[l].reads.any(); }

  // --- the events of the last graph: where they are the same, only rf and co are looked at
  struct Seen {
    const LocalState* at = nullptr;
    Location location = no_location;
    std::uint32_t thread = 0, slot = 0;
    Id pair = none;
    ActionKind kind = ActionKind::Fence;
    Mode mode = Mode::Na;
    bool hidden = false, stuck = false, failed_cas = false;
    bool operator==(const Seen&) const = default;
  };
  template <class E> static Seen seen(const E& v) {
    return {v.at, v.location, v.thread, v.slot, v.pair, v.kind, v.mode, v.hidden, v.stuck, v.failed_cas};
  }
  bool remembers(const G& g) const {
    return !seen_.empty() && g.used == used_ && std::all_of(g.order.begin(), g.order.end(), [&](Id e) {
      return seen_[static_cast<std::size_t>(e)] == seen(g[e]);
    });
  }
  void remember(const G& g) {
    used_ = g.used;
    seen_.resize(g.event.size());
    for (const Id e : g.order)
      seen_[static_cast<std::size_t>(e)] = seen(g[e]);
  }

  std::vector<Bits<W>>& rel(int which) {
    FP_ASSERT(which >= 0 && which < base_relation::count, "a primitive relation should be one");
    return s.relation[static_cast<std::size_t>(which)];
  }
  void put(int which, std::size_t event) {
    FP_ASSERT(which >= 0 && which < base_set::count, "a primitive set should be one");
    s.set[static_cast<std::size_t>(which)].set(static_cast<unsigned>(event));
  }

  void add_initials(const G& g) {
    Bits<W> initials;
    for (Location l = 0; l < g.location.size(); ++l)
      if (accessed(g, l)) initials.set(l);
    s.set[base_set::writes] = s.set[base_set::initial_writes] = initials;
    s.set[base_set::access + static_cast<int>(Mode::Na)] = initials;
    initials.each([&](unsigned i) { rel(base_relation::same_thread)[i] = initials; });
    s.events = initials;
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

  // Whether an event is known to access its location: a write may be there without a place in coherence.
  static bool touches(const G& g, Id e) {
    const Location l = g[e].location;
    if (l >= g.location.size()) return false;
    if constexpr (requires { g[e].commit; })
      if (g[e].is_write()) return true;
    return g.location[l].reads.test(g.bit(e)) || g.location[l].writes.test(g.bit(e));
  }

  void add_locations(const G& g) {
    std::vector<Bits<W>> here(g.location.size());
    for (const Id e : g.order)
      if (touches(g, e) && !g[e].stuck) here[g[e].location].set(at(e));
    for (Location l = 0; l < g.location.size(); ++l) {
      if (!accessed(g, l)) continue;
      here[l].set(static_cast<unsigned>(l));
      here[l].each([&](unsigned i) { rel(base_relation::loc)[i] = here[l]; });
    }
  }

  void add_communication(const G& g) {
    rel(base_relation::rf).assign(s.n, {});
    rel(base_relation::co).assign(s.n, {});
    for (Location l = 0; l < g.location.size(); ++l) {
      if (!accessed(g, l)) continue;
      Bits<W> later;
      for (Id w = g.location[l].last; w >= 0; w = g[w].co_before) {
        FP_ASSERT(!later.test(at(w)), "coherence should have each write once");
        rel(base_relation::co)[at(w)] = later;
        later.set(at(w));
      }
      rel(base_relation::co)[static_cast<unsigned>(l)] = later;
    }
    for (const Id r : g.order) {
      if (!g[r].is_read() || g[r].hidden || g[r].stuck || g[r].reads_from == none) continue;
      const Id w = g[r].reads_from;
      rel(base_relation::rf)[w == initial ? static_cast<unsigned>(g[r].location) : at(w)].set(at(r));
    }
  }

  void add_threads(const G& g, DependencyTable& dependencies, bool success_counts) {
    for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
      const auto& th = g.thread[t];
      Bits<W> later, all;
      for (std::size_t k = th.slot.size(); k-- > 0;) {
        const Id e = th.slot[k];
        if (e == none || g[e].hidden || g[e].stuck) continue;
        rel(base_relation::po)[at(e)] = later;
        later.set(at(e));
        add_dependencies(g, e, dependencies, success_counts);
        if (g[e].kind == ActionKind::Join) {
          for (const Id d : g.thread[g[e].action().value].slot)
            if (d != none && !g[d].hidden && !g[d].stuck) rel(base_relation::spawn)[at(d)].set(at(e));
        }
      }
      all = later;
      all.each([&](unsigned i) { rel(base_relation::same_thread)[i] = all; });
      if (th.spawned_by != none) rel(base_relation::spawn)[at(th.spawned_by)] |= all;
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
        rel(which)[at(source)].set(at(e));
        if (dependencies.only_picks(deps, d)) rel(picks)[at(source)].set(at(e));
      }
    };
    add(base_relation::addr, base_relation::pick_addr, a.address_deps);
    add(base_relation::data, base_relation::pick_data, a.data_deps);
    add(base_relation::ctrl, base_relation::pick_ctrl, a.control_deps);
    if (v.is_write() && v.pair != none) rel(base_relation::rmw)[at(v.pair)].set(at(e));
  }

  std::size_t places_ = 0; // numbers kept for initial writes
  std::vector<Seen> seen_;
  Bits<W> used_;
};

} // namespace fencepost
