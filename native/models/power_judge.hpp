// POWER's and ARMv7's models (models/power.cat, armv7.cat), tuned. Preserved program order is found thread by thread,
// in program order; the rest by two searches: one over hb, which gathers for each event what the file calls propbase,
// and one over co and prop for a cycle. docs/how/power.md says why that is all.
#pragma once

#include "models/commit_order.hpp"
#include "models/cycle_search.hpp"
#include "models/judged_graph.hpp"

namespace fencepost {

template <unsigned W> class PowerJudge {
public:
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  PowerJudge(CommitOrder order, const DependencyTable& dependencies)
      : armv7_(order == CommitOrder::Armv7), graph_(dependencies) {}

  bool consistent(const G& g) {
    graph_.look(g);
    if (graph_.changed) find_fixed(g);
    if (!graph_.coherent(g) || !graph_.undivided(g, false)) return false;
    find_preserved(g);
    has_fences_ = false;
    if (!some_order_) return no_thin_air_without_fences(g);
    find_fences(g);
    return no_thin_air(g) && observed(g) && propagated(g);
  }
  void forget() { graph_.forget(); }

private:
  // By event. The first two hang on what is before it in its thread alone, and the third group on rf and co, too: see
  // models/include/power-ppo.cat for the names. A set holds what comes before the event.
  struct Rows {
    Set dependencies, barrier, commits; // addr | data; ctrl through an instruction barrier; cc0
    Set ii0, ci0;
    Set initiated, ci0_initiated, committed; // without the event itself
    Set ppo;
    Set strong, fences, pushed;    // pushed: fences | (rfe ; fences)
    std::size_t group = 0;         // events with the same `strong`
    Set hb, propbase, seen, syncs; // hb+; propbase; (propbase & W*W) ; hb*; propbase? ; strong ; hb*
  };
  struct After {
    Set addresses, barrier;
  };

  Rows& rows(Id e) { return rows_[static_cast<std::size_t>(e)]; }
  Rows& rows(unsigned e) { return rows_[e]; }

  // --- one thread ----------------------------------------------------------------------------------------------------

  void find_fixed(const G& g) {
    rows_.resize(g.event.size());
    after_.resize(graph_.lines.size());
    valid_.resize(graph_.lines.size());
    reads_.clear();
    writes_.clear();
    some_order_ = graph_.has_threads;
    for (std::size_t t = 0; t < graph_.lines.size(); ++t) {
      const Line& line = graph_.lines[t];
      after_[t].resize(line.slot.size());
      valid_[t] = std::min(valid_[t], line.same);
      for (std::size_t k = line.same; k < line.slot.size(); ++k)
        find_fixed(g, t, k);
      for (const Seen& one : line.slot) {
        if (one.is_access()) (one.is_read() ? reads_ : writes_).set(g.bit(one.event));
        some_order_ |= one.event != none && one.kind == ActionKind::Fence && !waits_for_branches(one.action().fence);
      }
    }
  }

  void find_fixed(const G& g, std::size_t t, std::size_t k) {
    const Seen& one = graph_.lines[t].slot[k];
    After& after = after_[t][k];
    if (k == 0)
      after = {};
    else
      after = after_[t][k - 1];
    if (one.event == none) return;
    Set address, data, control;
    graph_.dependencies_of(g, one, [&](Id d, int which, bool) {
      (which == 0 ? address : which == 1 ? data : control).set(g.bit(d));
    });
    if (one.kind == ActionKind::Fence && waits_for_branches(one.action().fence)) after.barrier |= control;
    if (one.is_access()) {
      Rows& r = rows(one.event);
      r.dependencies = address | data;
      r.barrier = after.barrier;
      r.commits = r.dependencies | control | after.addresses;
      if (armv7_ && one.is_write() && one.pair != none) r.commits.set(g.bit(one.pair));
      if (!armv7_)
        if (const Id before = here_before(t, k); before != none) r.commits.set(g.bit(before));
    }
    after.addresses |= address;
  }

  bool waits_for_branches(FenceKind kind) const {
    return kind == FenceKind::Isync || (armv7_ && kind == FenceKind::Isb);
  }

  // The last access before a slot to its location.
  Id here_before(std::size_t t, std::size_t k) const {
    const auto& slots = graph_.lines[t].slot;
    for (std::size_t j = k; j-- > 0;)
      if (slots[j].is_access() && slots[j].location == slots[k].location) return slots[j].event;
    return none;
  }

  // From the first event on whose own rows are not what they were.
  void find_preserved(const G& g) {
    from_outside_.clear();
    for (std::size_t t = 0; t < graph_.lines.size(); ++t) {
      const auto& slots = graph_.lines[t].slot;
      for (std::size_t k = 0; k < slots.size(); ++k) {
        if (!slots[k].is_access()) continue;
        Rows& r = rows(slots[k].event);
        Set ii0 = r.dependencies, ci0 = r.barrier;
        if (slots[k].is_read() && sees(g, t, k, ii0, ci0)) from_outside_.set(g.bit(slots[k].event));
        if (k < valid_[t] && ii0 == r.ii0 && ci0 == r.ci0) continue;
        valid_[t] = std::min(valid_[t], k);
        r.ii0 = ii0;
        r.ci0 = ci0;
        find_preserved(slots[k]);
      }
      valid_[t] = slots.size();
    }
  }

  // rfi and rdw, which are in ii0, and detour, in ci0. True where a write of another thread is seen.
  bool sees(const G& g, std::size_t t, std::size_t k, Set& ii0, Set& ci0) const {
    const auto& slots = graph_.lines[t].slot;
    const Id r = slots[k].event, w = g[r].reads_from;
    if (w < 0) return false;
    if (g[w].thread == t) return ii0.set(g.bit(w)), false;
    const std::int32_t newest = graph_.place(g, w);
    for (std::size_t j = k; j-- > 0;) {
      if (!slots[j].is_access() || slots[j].location != slots[k].location) continue;
      const std::int32_t here = graph_.place(g, slots[j].event);
      if (here != none && here < newest) (slots[j].is_read() ? ii0 : ci0).set(g.bit(slots[j].event));
    }
    return true;
  }

  void find_preserved(const Seen& one) {
    Rows& r = rows(one.event);
    r.initiated = r.ii0;
    r.ci0_initiated = r.ci0;
    r.ii0.each([&](unsigned d) {
      r.initiated |= rows(d).initiated;
      r.ci0_initiated |= rows(d).ci0_initiated;
    });
    const Set step = r.commits | r.ci0_initiated;
    r.committed = step;
    step.each([&](unsigned d) { r.committed |= rows(d).committed; });
    Set way;
    if (one.is_read()) {
      way = r.ci0_initiated; // ci
      r.ci0_initiated.each([&](unsigned d) { way |= rows(d).committed; });
    } else {
      way = r.committed;
    }
    r.ppo = r.initiated | way;
    way.each([&](unsigned d) { r.ppo |= rows(d).initiated; });
    r.ppo &= reads_;
  }

  // --- fences --------------------------------------------------------------------------------------------------------

  // What lies before the last fence of a kind, and what the reads among that see of other threads.
  struct Fenced {
    Set accesses, sources;
  };

  void find_fences(const G& g) {
    has_fences_ = false;
    groups_ = 0;
    for (std::size_t t = 0; t < graph_.lines.size(); ++t)
      find_fences(g, t);
    images_.resize(groups_);
    for (auto& [known, image] : images_)
      known = false;
  }

  void find_fences(const G& g, std::size_t t) {
    const auto& slots = graph_.lines[t].slot;
    Fenced all, strong, light, others = of_others(g, t, 0);
    Set stores;
    ++groups_;
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const Seen& one = slots[k];
      if (one.event == none) continue;
      if (one.kind == ActionKind::Fence) {
        const auto mode = c11_fence(one.action().fence);
        const bool whole = mode && (armv7_ || *mode == Mode::Sc);
        if (mode) (whole ? strong : light) = all;
        if (whole) ++groups_;
        if (orders_stores(one.action().fence)) stores = all.accesses & writes_;
      } else if (one.kind == ActionKind::Join) {
        others = of_others(g, t, k + 1);
        ++groups_;
      }
      if (!one.is_access()) continue;
      fence(one, strong, light, others, stores);
      all.accesses.set(g.bit(one.event));
      if (one.is_read()) see(g, one.event, all.sources);
    }
  }

  // What starting and joining threads puts before a slot.
  Fenced of_others(const G& g, std::size_t t, std::size_t k) const {
    Fenced found;
    if (!graph_.has_threads) return found;
    found.accesses = graph_.by_threads(t, k);
    (found.accesses & reads_).each([&](unsigned e) { see(g, static_cast<Id>(e), found.sources); });
    return found;
  }

  bool orders_stores(FenceKind kind) const {
    return armv7_ ? kind == FenceKind::DmbSt || kind == FenceKind::DsbSt : kind == FenceKind::Eieio;
  }

  static void see(const G& g, Id r, Set& sources) {
    const Id w = g[r].reads_from;
    if (w >= 0 && g[w].thread != g[r].thread) sources.set(g.bit(w));
  }

  void fence(const Seen& one, const Fenced& strong, const Fenced& light, const Fenced& others, const Set& stores) {
    Rows& r = rows(one.event);
    r.strong = strong.accesses | others.accesses;
    r.group = groups_ - 1;
    if (one.is_write() && armv7_ && stores.any()) {
      r.strong |= stores;
      r.group = groups_++;
      ++groups_; // what follows is of the old group again, under a new number
    }
    r.fences = r.strong | (one.is_write() ? light.accesses : light.accesses & reads_);
    if (one.is_write() && !armv7_) r.fences |= stores;
    r.pushed = r.fences | strong.sources | light.sources | others.sources;
    has_fences_ |= r.fences.any();
  }

  // --- between threads -----------------------------------------------------------------------------------------------

  // Without fences hb is ppo and rfe. ppo is transitive, so a cycle goes from one read of another thread to the next.
  bool no_thin_air_without_fences(const G& g) {
    FP_ASSERT(!has_fences_, "what fences order should be looked at where there are some");
    return search_.acyclic(from_outside_, from_outside_, [&](Id r) { return rows(r).ppo | rows(g[r].reads_from).ppo; });
  }

  // Whether hb has no cycle; on the way, what comes before each event.
  bool no_thin_air(const G& g) {
    Set fresh = reads_ | writes_, open;
    work_.clear();
    while (fresh.any()) {
      if (!enter(g, static_cast<Id>(fresh.first()), fresh, open)) return false;
      while (!work_.empty()) {
        auto& [e, left] = work_.back();
        const unsigned next = left.last();
        if (next == Set::capacity) {
          open.reset(g.bit(e));
          finish(e);
          work_.pop_back();
        } else if (fresh.test(next)) {
          if (!enter(g, static_cast<Id>(next), fresh, open)) return false;
        } else {
          left.reset(next);
          left -= rows(next).hb; // what comes before that is found with it
          gather(rows(e), rows(next), next);
        }
      }
    }
    return true;
  }

  bool enter(const G& g, Id e, Set& fresh, Set& open) {
    fresh.reset(g.bit(e));
    open.set(g.bit(e));
    Rows& r = rows(e);
    Set before = r.ppo | r.fences;
    if (g[e].is_read()) see(g, e, before);
    r.hb.clear();
    r.propbase = r.pushed;
    r.seen.clear();
    r.syncs = r.strong;
    work_.emplace_back(e, before);
    return !before.meets(open);
  }

  void gather(Rows& r, const Rows& of, unsigned d) {
    r.hb |= of.hb;
    r.hb.set(d);
    if (!has_fences_) return;
    r.propbase |= of.propbase;
    r.seen |= of.seen;
    r.syncs |= of.syncs;
  }

  // pre: all that comes before e is gathered.
  void finish(Id e) {
    if (!has_fences_) return;
    Rows& r = rows(e);
    if (writes_.test(static_cast<unsigned>(e))) r.seen |= r.propbase & writes_;
    auto& [known, image] = images_[r.group];
    if (!known) find_image(r.strong, image);
    known = true;
    r.syncs |= image;
  }

  // propbase ; [of]
  void find_image(const Set& of, Set& image) {
    image.clear();
    Set left = of;
    for (unsigned d = left.last(); d != Set::capacity; d = left.last()) {
      image |= rows(d).propbase;
      left.reset(d);
      left -= rows(d).hb;
    }
  }

  // fre ; (propbase & (W * W)) ; hb* has no loop. With the rest of prop it is one of prop's own: com* takes fre in.
  bool observed(const G& g) {
    if (!has_fences_) return true;
    return !reads_.some([&](unsigned r) {
      const SplitEvent& v = g.event[r];
      if (v.reads_from == none || !g.committed(v.reads_from) || !rows(r).seen.meets(g.location[v.location].writes))
        return false;
      if (v.reads_from != initial && g[v.reads_from].co_before == none) return false;
      for (Id w = g.coherence_after(v.reads_from, v.location); w != none; w = g[w].co_after)
        if (g[w].thread != v.thread && rows(r).seen.test(g.bit(w))) return true;
      return false;
    });
  }

  // Whether co | prop has no cycle. A search over events in two roles: as an end of co or prop (first), or on the way
  // through com* at the beginning of prop (second).
  bool propagated(const G& g) {
    if (!has_fences_) return true;
    Set fresh[2] = {reads_ | writes_, reads_ | writes_}, open[2];
    steps_.clear();
    for (unsigned start = fresh[0].first(); start != Set::capacity; start = fresh[0].first()) {
      if (!step(g, start, 0, fresh, open)) return false;
      while (!steps_.empty()) {
        Step& at = steps_.back();
        unsigned next = Set::capacity;
        int role = 0;
        for (; role < 2 && next == Set::capacity; ++role) {
          at.left[role] &= fresh[role];
          next = at.left[role].last();
        }
        if (next == Set::capacity) {
          open[at.role].reset(at.event);
          steps_.pop_back();
        } else if (!step(g, next, role - 1, fresh, open)) {
          return false;
        }
      }
    }
    return true;
  }

  struct Step {
    unsigned event;
    int role;
    Set left[2];
  };

  bool step(const G& g, unsigned e, int role, Set* fresh, Set* open) {
    fresh[role].reset(e);
    open[role].set(e);
    Step& s = steps_.emplace_back();
    s.event = e;
    s.role = role;
    const SplitEvent& v = g.event[e];
    if (role == 0) {
      if (v.is_write()) s.left[0] = rows(e).propbase & writes_;
      if (v.is_write() && v.co_before >= 0) s.left[0].set(g.bit(v.co_before));
      s.left[1] = rows(e).syncs;
    } else {
      s.left[0].set(e);
      if (v.is_read() && v.reads_from >= 0) s.left[1].set(g.bit(v.reads_from));
      if (v.is_write() && v.co_before != none) {
        s.left[1] = g.readers_of(v.co_before, v.location) & reads_;
        if (v.co_before >= 0) s.left[1].set(g.bit(v.co_before));
      }
    }
    return !s.left[0].meets(open[0]) && !s.left[1].meets(open[1]);
  }

  const bool armv7_;
  bool has_fences_ = false;
  JudgedGraph<W> graph_;
  std::vector<Rows> rows_;                // by event
  std::vector<std::vector<After>> after_; // by thread and slot
  std::vector<std::size_t> valid_;        // by thread: how many slots have their rows of preserved program order
  std::size_t groups_ = 0;
  std::vector<std::pair<bool, Set>> images_; // by group: whether it is known, and propbase ; strong
  Set reads_, writes_, from_outside_;
  bool some_order_ = true; // by fences, or by starting and joining threads
  CycleSearch<W> search_;
  std::vector<std::pair<Id, Set>> work_;
  std::vector<Step> steps_;
};

} // namespace fencepost
