// IMM (models/imm.cat), tuned: happens-before by clocks, the order of SC accesses as under RC11, and of `ar` what each
// thread orders, found from its first event on that changed; then a cycle through reads of other threads is searched
// for.
#pragma once

#include "models/cycle_search.hpp"
#include "models/happens_graph.hpp"
#include "models/psc.hpp"

namespace fencepost {

template <unsigned W> class ImmJudge {
public:
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  explicit ImmJudge(const DependencyTable& dependencies) : graph_(dependencies), happens_(graph_) {}

  bool consistent(const G& g) {
    look(g);
    if (!graph_.coherent(g) || !graph_.undivided(g, false)) return false;
    if ((synchronises_ || graph_.has_threads || sc_ > 1) && !happens_.find(g)) return false;
    return sc_in_order(g) && no_thin_air(g);
  }
  void forget() { graph_.forget(); }

  // Two accesses that race; `none` where no two do. pre: the graph is consistent.
  std::pair<Id, Id> race(const G& g) {
    look(g);
    if (!plain_) return {none, none};
    const bool fits = happens_.find(g);
    FP_REQUIRE(fits, "a graph that is searched for races should be consistent");
    std::pair<Id, Id> found{none, none};
    accesses_.some([&](unsigned e) {
      const auto& l = g.location[g.event[e].location];
      return ((l.reads | l.writes) & accesses_).some([&](unsigned d) {
        if (races(g, static_cast<Id>(d), static_cast<Id>(e))) found = {static_cast<Id>(d), static_cast<Id>(e)};
        return found.first != none;
      });
    });
    return found;
  }

private:
  // By event: what comes before it. The first two hang on what is before it in its thread alone.
  struct Rows {
    Set bound;            // bob
    Set dependencies;     // deps, which start at reads
    Set releases;         // a write: release writes of its location before it
    Id write_here = none; // the last write before it to its location
    Id forwarded = none;  // a read: the write of its thread that it sees
    Set detoured;         // detour
    Set chain, local;     // (deps | rfi)+; ar within the thread, closed
  };
  // What is known after a slot of a thread.
  struct After {
    Set all;    // accesses and fences
    Set bound;  // those that come before all that follows
    Set needed; // those that all that follows depends on
  };

  Rows& rows(Id e) {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < rows_.size(), "an event should have its rows");
    return rows_[static_cast<std::size_t>(e)];
  }

  bool races(const G& g, Id d, Id e) const {
    const SplitEvent &v = g[d], &u = g[e];
    FP_ASSERT(v.location == u.location, "two events that may race should be of one location");
    if (v.thread == u.thread || (v.mode != Mode::Na && u.mode != Mode::Na) || !(v.is_write() || u.is_write()))
      return false;
    return !happens_.before(g, d, e) && !happens_.before(g, e, d);
  }

  // --- one thread ----------------------------------------------------------------------------------------------------

  void look(const G& g) {
    graph_.look(g);
    if (!graph_.changed) return;
    happens_.forget();
    rows_.resize(g.event.size());
    after_.resize(graph_.lines.size());
    valid_.resize(graph_.lines.size());
    taken_ = false;
    for (std::size_t t = 0; t < graph_.lines.size(); ++t) {
      const Line& line = graph_.lines[t];
      after_[t].resize(line.slot.size());
      valid_[t] = std::min(valid_[t], line.same);
      for (std::size_t k = line.same; k < line.slot.size(); ++k)
        find_row(g, t, k);
    }
    look_at_kinds(g);
  }

  void look_at_kinds(const G& g) {
    bool releases_some = false, acquires_some = false;
    reads_.clear();
    accesses_.clear();
    plain_ = false;
    sc_ = 0;
    for (const Line& line : graph_.lines)
      for (const Seen& one : line.slot) {
        if (one.event == none) continue;
        const Mode mode = one.is_access() ? one.mode : fence_mode(one);
        releases_some |= !one.is_read() && releases(mode);
        acquires_some |= !one.is_write() && acquires(mode);
        if (mode == Mode::Sc) ++sc_;
        if (!one.is_access()) continue;
        plain_ |= mode == Mode::Na;
        accesses_.set(g.bit(one.event));
        if (one.is_read()) reads_.set(g.bit(one.event));
      }
    synchronises_ = releases_some && acquires_some;
  }

  static Mode fence_mode(const Seen& one) {
    return one.kind == ActionKind::Fence ? c11_fence(one.action().fence).value_or(Mode::Na) : Mode::Na;
  }

  void find_row(const G& g, std::size_t t, std::size_t k) {
    const auto& slots = graph_.lines[t].slot;
    const Seen& one = slots[k];
    After& after = after_[t][k];
    if (k == 0)
      after = {};
    else
      after = after_[t][k - 1];
    if (one.event == none) return;
    Set address, other;
    graph_.dependencies_of(g, one, [&](Id d, int which, bool) { (which == 0 ? address : other).set(g.bit(d)); });
    after.needed |= address;
    const bool fence = one.kind == ActionKind::Fence;
    if (one.is_access() || fence) {
      Rows& r = rows(one.event);
      r = {};
      r.dependencies = after.needed | other;
      r.bound = fence || (one.is_write() && releases(one.mode)) ? after.all : after.bound;
      if (one.is_access()) look_back(g, t, k, r);
      r.bound |= r.releases;
      after.all.set(g.bit(one.event));
    }
    if (fence) after.bound = after.all;
    if (one.is_read() && acquires(one.mode)) after.bound.set(g.bit(one.event));
    if (one.is_read() && updates(one.action().part) && !one.failed_cas) after.needed.set(g.bit(one.event));
    if (!one.is_write() || one.pair == none) return;
    graph_.dependencies_of(g, one, [&](Id d, int which, bool) { // casdep
      if (which == 2) after.needed.set(g.bit(d));
    });
  }

  void look_back(const G& g, std::size_t t, std::size_t k, Rows& r) {
    const auto& slots = graph_.lines[t].slot;
    for (std::size_t j = k; j-- > 0 && r.write_here == none;)
      if (slots[j].is_write() && slots[j].location == slots[k].location) r.write_here = slots[j].event;
    if (r.write_here == none || !slots[k].is_write()) return;
    FP_ASSERT(g[r.write_here].location == slots[k].location, "the write before an access should be of its location");
    r.releases = rows(r.write_here).releases;
    if (releases(g[r.write_here].mode)) r.releases.set(g.bit(r.write_here));
  }

  // What hangs on whom reads see, from the first event of each thread on for which that is not what it was.
  void find_local(const G& g) {
    from_outside_.clear();
    for (std::size_t t = 0; t < graph_.lines.size(); ++t) {
      const auto& slots = graph_.lines[t].slot;
      for (std::size_t k = 0; k < slots.size(); ++k) {
        const Seen& one = slots[k];
        if (!one.is_access() && (one.event == none || one.kind != ActionKind::Fence)) continue;
        Rows& r = rows(one.event);
        const Id seen = one.is_read() ? g[one.event].reads_from : none;
        const bool outside = seen >= 0 && g[seen].thread != t;
        const Id forwarded = outside || seen < 0 ? none : seen;
        const Set detoured = outside && r.write_here != none ? overtaken(g, r.write_here, seen) : Set{};
        if (outside) from_outside_.set(g.bit(one.event));
        if (k < valid_[t] && forwarded == r.forwarded && detoured == r.detoured) continue;
        valid_[t] = std::min(valid_[t], k);
        r.forwarded = forwarded;
        r.detoured = detoured;
        find_local(one);
      }
      valid_[t] = slots.size();
    }
  }

  // The writes of a thread, from one of them back, that are before `seen` in coherence.
  Set overtaken(const G& g, Id write, Id seen) {
    Set found;
    FP_ASSERT(g[seen].thread != g[write].thread, "what is seen instead of an own write should be of another thread");
    const std::int32_t newest = graph_.place(g, seen);
    for (Id w = write; w != none; w = rows(w).write_here) {
      const std::int32_t here = graph_.place(g, w);
      if (here != none && here < newest) found.set(g.bit(w));
    }
    return found;
  }

  void find_local(const Seen& one) {
    Rows& r = rows(one.event);
    FP_ASSERT(!r.dependencies.test(static_cast<unsigned>(one.event)), "no event should depend on itself");
    Set steps = r.dependencies;
    if (r.forwarded != none) steps.set(static_cast<unsigned>(r.forwarded));
    r.chain = steps;
    each_last(steps, [&](const Rows& d) { return r.chain |= d.chain, &d.chain; });
    steps = r.bound | r.detoured;
    if (one.is_write()) steps |= r.chain & reads_;
    r.local = steps;
    each_last(steps, [&](const Rows& d) { return r.local |= d.local, &d.local; });
  }

  // Calls f with the rows of these events, but of those that are within what f gave for others.
  template <class F> void each_last(Set left, F&& f) {
    for (unsigned d = left.last(); d != Set::capacity; d = left.last()) {
      left.reset(d);
      left -= *f(rows_[d]);
    }
  }

  // --- between threads -----------------------------------------------------------------------------------------------

  bool sc_in_order(const G& g) {
    if (sc_ < 2) return true;
    if (!taken_) order_.take(g, graph_.lines);
    taken_ = true;
    order_.find(g, happens_);
    coherence_ = {&g, accesses_};
    return psc_.consistent(order_, coherence_);
  }

  // Whether ar has no cycle. What a thread orders goes on in program order, and each way from thread to thread is a
  // read of another one's write, the order of SC fences, or starting and joining threads.
  bool no_thin_air(const G& g) {
    find_local(g);
    Set nodes = from_outside_;
    if (sc_ > 1)
      for (const auto& [fence, before] : psc_.between_fences())
        nodes.set(g.bit(fence));
    if (graph_.has_threads)
      for (std::size_t t = 0; t < graph_.lines.size(); ++t)
        if (!after_[t].empty()) nodes |= after_[t].back().all;
    return search_.acyclic(nodes, nodes, [&](Id e) { return before(g, e); });
  }

  Set before(const G& g, Id e) {
    Set found = rows(e).local;
    const SplitEvent& v = g[e];
    if (from_outside_.test(g.bit(e))) {
      found |= rows(v.reads_from).local;
      found.set(g.bit(v.reads_from));
    }
    if (graph_.has_threads && accesses_.test(g.bit(e))) found |= graph_.by_threads(v.thread, v.slot);
    if (v.is_fence() && sc_ > 1)
      for (const auto& [fence, others] : psc_.between_fences())
        if (fence == e) found |= others;
    return found;
  }

  JudgedGraph<W> graph_;
  HappensBefore<W> happens_;
  HappensGraph<W> order_;
  SplitCoherence<W> coherence_;
  PartialSc<W, SplitCoherence<W>, HappensGraph<W>> psc_;
  std::vector<Rows> rows_;                // by event
  std::vector<std::vector<After>> after_; // by thread and slot
  std::vector<std::size_t> valid_;        // by thread: how many slots have their rows of `ar`
  bool taken_ = false;                    // `order_` has the threads as they are
  bool synchronises_ = false, plain_ = false;
  std::size_t sc_ = 0; // SC accesses and fences
  Set reads_, accesses_, from_outside_;
  CycleSearch<W> search_;
};

} // namespace fencepost
