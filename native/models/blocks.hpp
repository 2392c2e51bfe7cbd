// Atomic blocks (`reentered` and `conflicting` of include/prelude.cat): nothing of another thread happens between the
// events of one, so no path of the model's order leaves a block and comes back. Every block is taken as one node; what
// is consistent without blocks has a path that comes back exactly where the nodes have a cycle.
//
// The order is the global one of SC, TSO and PSO. Elsewhere it is po, rf, and between blocks coherence and from-read:
// there a block also synchronises with the later ones that conflict with it (`judged`).
#pragma once

#include "graph/graph.hpp"
#include "models/global_order.hpp"
#include "models/model.hpp"
#include "models/psc.hpp"
#include "models/rows.hpp"

#include <utility>
#include <vector>

namespace fencepost {

template <unsigned W> class Blocks {
public:
  using Set = Bits<W>;

  explicit Blocks(Model model) : model_(model), order_(model) {}

  // Whether the events of `within` break a block. More events never mend it. pre: what is (po ∪ rf)-before an event of
  // `within` is in it too.
  bool broken(const Graph<W>& g, const Set& within) {
    begin(g, within);
    if (!any_) return false; // a program may have blocks that nobody has come to
    for (const Id e : events_)
      follow_program(g, e);
    if (global_order(model_)) {
      for (const auto& l : g.location)
        follow_coherence(g, l, within);
    } else if (conflicts(g, within)) {
      return true;
    }
    return cyclic();
  }

  // The graph with its final happens-before, or null where blocks make it inconsistent.
  const Graph<W>* judged(const Graph<W>& g) {
    if (broken(g, g.used)) return nullptr;
    if (!any_) return &g;
    if (global_order(model_)) conflicts(g, g.used);
    whole_ = g;
    if (whole_.hb.empty()) whole_.hb = g.prefix;
    synchronise();
    if (!global_order(model_) && !coherent()) return nullptr;
    if (own_happens_before(model_) && !psc_.consistent(whole_, coherence_)) return nullptr;
    return &whole_;
  }

private:
  static constexpr std::int32_t nowhere = -1;

  bool in_block(const Graph<W>& g, Id e) const { return g[node(e)].kind == ActionKind::AtomicBegin; }
  Id node(Id e) const {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < node_.size(), "an event should have a node");
    return node_[static_cast<std::size_t>(e)];
  }

  // Numbers the nodes: a block is called after its AtomicBegin. Events of a thread are added in program order.
  void begin(const Graph<W>& g, const Set& within) {
    node_.assign(g.event.size(), none);
    after_.resize(g.event.size());
    waits_for_.assign(g.event.size(), 0);
    position_.assign(g.event.size(), nowhere);
    open_.assign(g.thread.size(), none);
    events_.clear();
    conflicts_.clear();
    any_ = false;
    for (const Id e : g.order) {
      const Event& v = g[e];
      if (v.waiting || !within.test(g.bit(e))) continue;
      Id& open = open_[v.thread];
      if (v.kind == ActionKind::AtomicBegin) open = e, any_ = true;
      if (v.kind == ActionKind::AtomicEnd) open = none;
      node_[static_cast<std::size_t>(e)] = open == none ? e : open;
      after_[static_cast<std::size_t>(e)].clear();
      events_.push_back(e);
    }
  }

  void add(Id before, Id after) {
    const Id a = node(before), b = node(after);
    FP_ASSERT(a != none && b != none, "what is ordered should have a node");
    if (a == b) return;
    after_[static_cast<std::size_t>(a)].push_back(b);
    ++waits_for_[static_cast<std::size_t>(b)];
  }

  void follow_program(const Graph<W>& g, Id e) {
    const Event& v = g[e];
    if (global_order(model_)) {
      const bool counts = model_ == Model::Sc || v.is_read() || v.is_write() || v.kind == ActionKind::Spawn ||
                          v.kind == ActionKind::Join; // what else there is orders accesses, and is not ordered
      if (counts) order_.each_in_program(g, e, [&](Id d) { return d >= 0 && (add(d, e), false); });
      return;
    }
    for (const Id d : {predecessor(g, e), v.joined, v.is_read() ? v.reads_from : none})
      if (d >= 0) add(d, e);
  }

  // Coherence and from-read, between neighbours among the writes of `within`.
  void follow_coherence(const Graph<W>& g, const typename Graph<W>::LocationState& l, const Set& within) {
    Id before = initial;
    for (Id w = l.first; w != none; w = g[w].co_after) {
      if (!within.test(g.bit(w))) continue;
      if (before != initial) add(before, w);
      ((before == initial ? l.initial_readers : g.readers[static_cast<std::size_t>(before)]) & within)
          .each([&](unsigned r) { add(static_cast<Id>(r), w); });
      before = w;
    }
  }

  // Orders the blocks that access the same location; true where somebody outside comes between two accesses of one.
  bool conflicts(const Graph<W>& g, const Set& within) {
    for (const auto& l : g.location) {
      earlier_.clear();
      touched_.clear();
      outside_ = nowhere;
      std::int32_t at = 0;
      bool between = readers(g, l.initial_readers & within, at);
      for (Id w = l.first; w != none; w = g[w].co_after) {
        if (!within.test(g.bit(w))) continue;
        between |= access(g, w, ++at);
        between |= readers(g, g.readers[static_cast<std::size_t>(w)] & within, ++at);
      }
      for (const Id n : touched_)
        first_[static_cast<std::size_t>(n)] = nowhere;
      if (between) return true;
    }
    return false;
  }

  bool readers(const Graph<W>& g, const Set& all, std::int32_t at) {
    const std::size_t known = earlier_.size();
    const std::int32_t outside = outside_;
    bool between = false;
    all.each([&](unsigned r) { between |= meet(g, static_cast<Id>(r), at, known, outside); });
    return between;
  }

  bool access(const Graph<W>& g, Id w, std::int32_t at) {
    const bool between = meet(g, w, at, earlier_.size(), outside_);
    if (in_block(g, w)) earlier_.assign(1, node(w)); // whatever was earlier comes before it
    return between;
  }

  // One access at its place in the location's order, after the first `known` blocks of `earlier_`.
  bool meet(const Graph<W>& g, Id e, std::int32_t at, std::size_t known, std::int32_t outside) {
    position_[static_cast<std::size_t>(e)] = at;
    if (!in_block(g, e)) return outside_ = at, false;
    const Id n = node(e);
    if (first_.size() < node_.size()) first_.resize(node_.size(), nowhere);
    std::int32_t& first = first_[static_cast<std::size_t>(n)];
    for (std::size_t k = 0; k < known; ++k) {
      add(earlier_[k], n);
      if (earlier_[k] != n) conflicts_.emplace_back(earlier_[k], n);
    }
    if (first != nowhere) return outside > first;
    first = at;
    touched_.push_back(n);
    earlier_.push_back(n);
    return false;
  }

  // Takes away nodes that nothing comes before.
  bool cyclic() {
    todo_.clear();
    std::size_t left = 0;
    for (const Id e : events_) {
      if (node(e) != e) continue;
      ++left;
      if (waits_for_[static_cast<std::size_t>(e)] == 0) todo_.push_back(e);
    }
    for (; !todo_.empty(); --left) {
      FP_ASSERT(left > 0, "a node should be taken away once");
      const Id a = todo_.back();
      todo_.pop_back();
      for (const Id b : after_[static_cast<std::size_t>(a)])
        if (--waits_for_[static_cast<std::size_t>(b)] == 0) todo_.push_back(b);
    }
    return left > 0;
  }

  // Closes hb under what conflicting blocks learn from one another.
  void synchronise() {
    const std::vector<Set> before = whole_.hb;
    std::vector<Set> inside(node_.size());
    for (const Id e : events_)
      if (in_block(whole_, e)) inside[static_cast<std::size_t>(node(e))].set(whole_.bit(e));
    for (bool changed = !conflicts_.empty(); changed;) {
      changed = false;
      const auto learn = [&](Id e, const Set& more) {
        Set& row = whole_.hb[static_cast<std::size_t>(e)];
        const Set old = row;
        row |= more;
        changed |= !(row == old);
      };
      for (const auto& [a, b] : conflicts_) {
        Set learnt = inside[static_cast<std::size_t>(a)];
        inside[static_cast<std::size_t>(a)].each([&](unsigned e) { learnt |= whole_.hb[e]; });
        inside[static_cast<std::size_t>(b)].each([&](unsigned e) { learn(static_cast<Id>(e), learnt); });
      }
      for (const Id e : events_)
        before[static_cast<std::size_t>(e)].each([&](unsigned d) { learn(e, whole_.hb[d]); });
    }
  }

  // eco; hb irreflexive.
  bool coherent() const {
    for (const auto& l : whole_.location) {
      const Set here = l.reads | l.writes;
      if (here.some([&](unsigned e) {
            return (whole_.hb[e] & here).some([&](unsigned d) { return position_[d] > position_[e] || d == e; });
          }))
        return false;
    }
    return true;
  }

  Model model_;
  GlobalOrder<W> order_;
  PartialSc<W, Coherence<W>> psc_;
  Coherence<W> coherence_;
  Graph<W> whole_;
  std::vector<Id> events_, node_, open_, earlier_, touched_, todo_;
  std::vector<std::vector<Id>> after_;
  std::vector<std::size_t> waits_for_;
  std::vector<std::int32_t> position_, first_; // in the order of a location: of an access, of a block's first one
  std::int32_t outside_ = nowhere;             // of the last access that is in no block
  bool any_ = false;                           // whether there is a block at all
  std::vector<std::pair<Id, Id>> conflicts_;   // blocks, the earlier one first
};

} // namespace fencepost
