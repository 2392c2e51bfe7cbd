// What an event of a SplitGraph needs, directly and in its own thread: the table of docs/how/power.md, where it is
// shown that the order is acyclic in every execution that the model allows (V), that leaving out events at its end
// leaves an execution that the model allows (P), and that what an event needs never changes while it is kept (S).
#pragma once

#include "graph/split_graph.hpp"
#include "models/commit_order.hpp"
#include "models/fence_pairs.hpp"
#include "vm/dependencies.hpp"

namespace fencepost {

template <unsigned W> struct Needs {
  Bits<W> always;  // a read, the data of a write, every other event
  Bits<W> commit;  // a write: its commit, besides
  Bits<W> outside; // a read: where it reads from another thread or the initial value, besides
};

template <unsigned W> class CommitRules {
public:
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  // pieces: atomic blocks hold the pieces of one access, which are in no order but by location.
  CommitRules(CommitOrder order, DependencyTable& dependencies, bool pieces)
      : order_(order), dependencies_(dependencies), pieces_(pieces) {}

  // What the event in this slot of a thread needs; `half` is Outcome or Whole. pre: everything po-before it is there
  // and committed.
  Needs<W> of(const G& g, std::uint32_t t, std::uint32_t slot, const LocalState& at, Half half) const {
    Target f{t, slot, at.action, at.location, half == Half::Outcome, pair_of(g, t, slot, at.action), slot};
    Needs<W> n;
    need_own(g, f, n.always);
    if (f.is_write()) need(g, t, f.a.control_deps, n.commit);
    f.block = pieces_ ? g.block_of(t, slot) : slot;
    for (std::uint32_t k = 0; k < slot; ++k) {
      const Id d = g.at_slot(t, k);
      if (d == none) continue;
      need(g, t, g[d].action().address_deps, n.always); // so that slots and locations are known
      if (order_ == CommitOrder::InOrder || system(g[d].kind) || system(f.a.kind))
        n.always |= all_of(g, d);
      else if (order_ != CommitOrder::Weakest && !f.outcome)
        relate(g, d, f, n);
    }
    return n;
  }

  // Where a read sees a write of its own thread: whether that must be committed.
  bool waits_for_commit(const G& g, Id write, const Action& read) const {
    if (order_ == CommitOrder::InOrder) return true;
    if (g[write].pair == none && !g[write].action().rmw && g[write].action().conditional < 0) return false;
    return order_ == CommitOrder::Riscv || (order_ == CommitOrder::Armv8 && surely_acquires(read));
  }

private:
  struct Target {
    std::uint32_t thread, slot;
    const Action& a;
    Location location;
    bool outcome;
    Id pair;
    std::uint32_t block; // with the slots from here on it is one access
    bool is_read() const { return a.kind == ActionKind::Read; }
    bool is_write() const { return a.kind == ActionKind::Write && !outcome; }
    bool is_fence() const { return a.kind == ActionKind::Fence; }
  };

  static bool system(ActionKind kind) {
    return kind == ActionKind::Spawn || kind == ActionKind::Join || kind == ActionKind::Free;
  }
  // However a compare-exchange comes out.
  static bool surely_acquires(const Action& a) {
    return acquires(a.mode) && (a.part != Part::Cas || acquires(a.failure));
  }
  static Id pair_of(const G& g, std::uint32_t t, std::uint32_t slot, const Action& a) {
    if (a.kind != ActionKind::Write) return none;
    return a.rmw                ? g.at_slot(t, slot - 1)
           : a.conditional >= 0 ? g.at_slot(t, static_cast<std::size_t>(a.conditional))
                                : none;
  }

  // An event with all its parts.
  static Set all_of(const G& g, Id d) {
    Set s;
    s.set(g.bit(g.whole(d)));
    if (g[d].outcome != none) s.set(g.bit(g[d].outcome));
    return s;
  }

  void need(const G& g, std::uint32_t t, DepSet deps, Set& out) const {
    for (const std::uint32_t d : dependencies_.elements(deps)) {
      const Id e = g.at_slot(t, slot_of(d));
      if (e == none) continue;
      const bool decides = d & success_dependency && g[e].outcome != none; // whether it was a success
      out.set(g.bit(decides ? g[e].outcome : g.whole(e)));
    }
  }

  void need_own(const G& g, const Target& f, Set& out) const {
    need(g, f.thread, f.a.address_deps, out);
    need(g, f.thread, foreseen(g, f) ? g[f.pair].action().control_deps : f.a.control_deps, out);
    if (!f.outcome) need(g, f.thread, f.a.data_deps, out);
    if (waits(f.a.part)) need(g, f.thread, f.a.compared_deps, out);                           // whether it is served
    if (f.outcome && f.pair != none) need(g, f.thread, g[f.pair].action().address_deps, out); // whether it is a pair
    if (f.is_write())
      if (const Id o = g.outcome_at(f.thread, f.slot); o != none) out.set(g.bit(o));
    if (f.is_read() && f.a.part == Part::Cas)
      if (const Id o = g.outcome_at(f.thread, f.slot + 1); o != none) out.set(g.bit(o));
    const Id spawn = g.thread[f.thread].spawned_by;
    if (spawn != none) out.set(g.bit(spawn));
    if (f.a.kind == ActionKind::Join)
      for (const Id d : g.thread[f.a.value].slot)
        if (d != none) out |= all_of(g, d);
  }

  // The write of a compare-exchange that was said to succeed before it has read.
  static bool foreseen(const G& g, const Target& f) {
    return f.is_write() && f.a.rmw && g.outcome_at(f.thread, f.slot) != none;
  }

  // A compare-exchange's write need not be there in another execution; where its read is known, it is if nothing else
  // decides.
  bool may_be_missing(const G& g, Id d) const {
    const SplitEvent& v = g[d];
    if (!of_compare_exchange(g, d)) return false;
    const auto& all = dependencies_.elements(v.action().control_deps);
    const auto& reads = dependencies_.elements(g[v.pair].action().control_deps);
    return std::any_of(all.begin(), all.end(), [&](std::uint32_t one) {
      return slot_of(one) != g[v.pair].slot &&
             std::none_of(reads.begin(), reads.end(), [&](std::uint32_t r) { return slot_of(r) == slot_of(one); });
    });
  }
  bool of_compare_exchange(const G& g, Id d) const {
    return g[d].is_write() && g[d].action().rmw && g[d].outcome == none && g[g[d].pair].action().part == Part::Cas;
  }

  void relate(const G& g, Id d, const Target& f, Needs<W>& n) const {
    const SplitEvent& v = g[d];
    if (may_be_missing(g, d)) return;
    const bool cas = of_compare_exchange(g, d), reads = v.is_read(), writes = v.kind == ActionKind::Write;
    if (v.is_fence()) return after_fence(g, d, f, n);
    if (v.kind == ActionKind::AtomicBegin || v.kind == ActionKind::AtomicEnd) { // it needs no more than f needs anyway
      n.always.set(g.bit(d));
      return;
    }
    if (f.is_fence()) {
      if (detail::instruction_barrier(f.a.fence)) return;
      const unsigned pairs = pairs_of(f.a.fence);
      const bool after_reads = pairs & (detail::RR | detail::RW), after_writes = pairs & (detail::WR | detail::WW);
      // a barrier for loads does not wait for an atomic update whose result goes nowhere
      const bool counts =
          reads && after_reads && !(order_ == CommitOrder::Armv8 && v.action().noreturn && !after_writes);
      if (counts || (writes && after_writes && !(cas && !after_reads))) n.always |= all_of(g, d);
      return;
    }
    if (!(f.is_read() || f.is_write()) || !(reads || writes)) return;
    if (v.slot < f.block) by_mode(g, d, f, cas, n);
    if (v.location == f.location) by_location(g, d, f, cas, n);
  }

  unsigned pairs_of(FenceKind kind) const {
    return order_ == CommitOrder::Imm ? detail::RR | detail::RW | detail::WR | detail::WW : detail::fence_pairs(kind);
  }

  void after_fence(const G& g, Id d, const Target& f, Needs<W>& n) const {
    const FenceKind kind = g[d].action().fence;
    if (detail::instruction_barrier(kind)) { // it needs no more than what f needs anyway
      n.always.set(g.bit(d));
      return;
    }
    const unsigned pairs = pairs_of(kind);
    if (f.is_read() && pairs & (detail::RR | detail::WR)) n.always.set(g.bit(d));
    if (f.is_write() && pairs & (detail::RW | detail::WW))
      ((pairs & detail::RR) && (pairs & detail::RW) ? n.always : n.commit).set(g.bit(d));
  }

  void by_mode(const G& g, Id d, const Target& f, bool cas, Needs<W>& n) const {
    if (order_ == CommitOrder::Power || order_ == CommitOrder::Armv7) return; // which know no modes
    const SplitEvent& v = g[d];
    const bool reads = v.is_read(), writes = v.kind == ActionKind::Write; // or would, were it no failure
    if (reads && surely_acquires(v.action()) && !(order_ == CommitOrder::Imm && may_be_forwarded(g, d, f)))
      n.always.set(g.bit(d));
    if (f.is_write() && releases(f.a.mode)) n.commit |= all_of(g, d);
    if (order_ == CommitOrder::Riscv) { // both halves of an annotated AMO are annotated
      if (v.is_write() && v.action().rmw && g[v.pair].action().part == Part::Rmw && acquires(v.mode))
        n.always |= all_of(g, d);
      if (f.is_read() && f.a.part == Part::Rmw && releases(f.a.mode)) n.always |= all_of(g, d);
    }
    if (order_ == CommitOrder::Armv8 && writes && !cas && releases(v.mode) && f.is_read() && surely_acquires(f.a) &&
        f.a.mode != Mode::AcqPc)
      n.always |= all_of(g, d);
    if (order_ == CommitOrder::Imm && reads && (v.action().part == Part::Rmw || v.action().part == Part::BlockingCas))
      n.always.set(g.bit(d));
  }

  // Whether an acquiring read may see a write of its own thread whose value depends on what f need not wait for: IMM
  // does not order that before what follows the read. A compare-exchange may come out otherwise, unless f waits for
  // all that decides.
  bool may_be_forwarded(const G& g, Id r, const Target& f) const {
    for (std::uint32_t k = 0; k < g[r].slot; ++k) {
      const Id d = g.at_slot(f.thread, k);
      if (d == none || g[d].location != g[r].location) continue;
      if (g[d].is_write() && !all_awaited(g, g[d].action().data_deps, f)) return true;
      const bool compares = g[d].is_read() && g[d].action().part == Part::Cas;
      if (compares && !(controls(k, f) && all_awaited(g, g[d].action().compared_deps, f))) return true;
    }
    return false;
  }
  bool controls(std::uint32_t slot, const Target& f) const {
    const auto& all = dependencies_.elements(f.a.control_deps);
    return std::binary_search(all.begin(), all.end(), slot);
  }
  bool all_awaited(const G& g, DepSet deps, const Target& f) const {
    const auto& all = dependencies_.elements(deps);
    return std::all_of(all.begin(), all.end(), [&](std::uint32_t slot) {
      if (controls(slot, f)) return true;
      const Id d = g.at_slot(f.thread, slot & ~success_dependency);
      return d != none && g[d].is_read() && surely_acquires(g[d].action()) && !may_be_forwarded(g, d, f);
    });
  }

  void by_location(const G& g, Id d, const Target& f, bool cas, Needs<W>& n) const {
    const SplitEvent& v = g[d];
    switch (order_) {
    case CommitOrder::Power:
      n.always |= all_of(g, d);
      return;
    case CommitOrder::Armv8:
    case CommitOrder::Riscv:
      (f.is_write() ? n.commit : n.outside) |= all_of(g, d);
      return;
    case CommitOrder::Armv7:
      if (f.is_read()) n.outside |= all_of(g, d);
      return;
    case CommitOrder::Imm:
      if (v.kind != ActionKind::Write || cas) return;
      if (f.is_read()) n.outside |= all_of(g, d);
      if (f.is_write() && releases(v.mode)) n.commit |= all_of(g, d);
      return;
    default:
      return;
    }
  }

  CommitOrder order_;
  DependencyTable& dependencies_;
  bool pieces_;
};

} // namespace fencepost
