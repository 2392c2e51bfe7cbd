// Which events an access surely comes after, by the orders that a model never lets coherence contradict: where one of
// them is a write to the same location, the access sees nothing older than that write and is placed after it. It is
// what the model would say (docs/how/power.md), found by a search over a few kinds of edges instead of its whole plan.
#pragma once

#include "graph/split_graph.hpp"
#include "models/commit_order.hpp"
#include "models/fence_pairs.hpp"
#include "vm/dependencies.hpp"

namespace fencepost {

template <unsigned W> class KnownBefore {
public:
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  // pieces: atomic blocks hold the pieces of one access, which are in no order.
  KnownBefore(CommitOrder order, DependencyTable& dependencies, bool pieces)
      : order_(order), dependencies_(dependencies), pieces_(pieces) {}

  // The events that come before what a slot of a thread does, among those of `kept`.
  Set of(const G& g, std::uint32_t t, std::uint32_t slot, const Action& a, const Set& kept) {
    ++round_;
    found_.clear();
    nodes_.clear();
    below_.assign(g.thread.size(), 0);
    if (order_ == CommitOrder::Weakest || order_ == CommitOrder::InOrder) return found_;
    look_back(g, t, slot, a.kind == ActionKind::Write, a.kind == ActionKind::Write && by_mode() && releases(a.mode),
              kept);
    while (!work_.empty()) {
      const auto [e, by_fence] = work_.back();
      work_.pop_back();
      const SplitEvent& v = g[e];
      if (v.is_read()) follow(g, e, by_fence, kept);
      if (order_ != CommitOrder::Imm && v.slot >= below_[v.thread])
        look_back(g, v.thread, v.slot, v.is_write(), v.is_write() && by_mode() && releases(v.mode), kept);
    }
    return found_;
  }

private:
  bool by_mode() const { return order_ == CommitOrder::Armv8 || order_ == CommitOrder::Riscv; }
  // POWER and ARMv7 order by propagation: only what a fence pushes on is known to others.
  bool by_propagation() const { return order_ == CommitOrder::Power || order_ == CommitOrder::Armv7; }
  static bool surely_acquires(const Action& a) {
    return acquires(a.mode) && !a.noreturn && (a.part != Part::Cas || acquires(a.failure));
  }

  void meet(const G& g, Id e, bool by_fence, const Set& kept) {
    if (g[e].half != Half::Whole || g[e].stuck || g.whole(e) == none || !kept.test(g.bit(g.whole(e)))) return;
    if (by_fence || !by_propagation()) found_.set(g.bit(e));
    if (nodes_.test(g.bit(e)) && !by_fence) return;
    if (by_fence && fenced(e)) return;
    nodes_.set(g.bit(e));
    work_.emplace_back(e, by_fence);
  }
  // Whether an event was met by a fence before; notes that it was.
  bool fenced(Id e) {
    const auto at = static_cast<std::size_t>(e);
    if (fenced_.size() <= at) fenced_.resize(at + 1, 0);
    if (fenced_[at] == round_) return true;
    fenced_[at] = round_;
    return false;
  }

  // What a read that is known to be before sees of another thread.
  void follow(const G& g, Id r, bool by_fence, const Set& kept) {
    const Id w = g[r].reads_from;
    if (w < 0 || g[w].thread == g[r].thread) return;
    if (order_ != CommitOrder::Imm) return meet(g, w, by_fence && by_propagation(), kept);
    if (!surely_acquires(g[r].action()) || !releases(g[w].mode) || !kept.test(g.bit(g.whole(w)))) return;
    found_.set(g.bit(w));
    all_below(g, g[w].thread, g[w].slot, true, kept);
  }

  void all_below(const G& g, std::uint32_t t, std::uint32_t slot, bool by_fence, const Set& kept) {
    for (std::uint32_t k = below_[t]; k < slot; ++k)
      if (const Id d = g.at_slot(t, k); d != none && (g[d].is_read() || g[d].is_write())) meet(g, d, by_fence, kept);
    below_[t] = std::max(below_[t], slot);
  }

  // The events of a thread that are ordered before an access in this slot.
  void look_back(const G& g, std::uint32_t t, std::uint32_t slot, bool writes, bool everything, const Set& kept) {
    if (pieces_) slot = g.block_of(t, slot);
    if (everything) return all_below(g, t, slot, false, kept);
    const unsigned after_read = writes ? detail::RW : detail::RR, after_write = writes ? detail::WW : detail::WR;
    unsigned pairs = 0;
    for (std::uint32_t k = slot; k-- > below_[t];) {
      const Id d = g.at_slot(t, k);
      if (d == none || g[d].half != Half::Whole) continue;
      const Action& a = g[d].action();
      if (g[d].is_fence() && order_ != CommitOrder::Imm && kept.test(g.bit(d))) {
        if (!detail::instruction_barrier(a.fence))
          pairs |= detail::fence_pairs(a.fence);
        else if (by_propagation())
          barrier(g, t, a, kept);
        const unsigned whole = order_ == CommitOrder::Armv8 ? detail::fence_pairs(a.fence) : pairs;
        if (whole & after_read && whole & after_write) return all_below(g, t, k, true, kept);
      }
      if (g[d].is_read() && !by_propagation() && surely_acquires(a)) meet(g, d, false, kept);
      if (g[d].is_read() && pairs & after_read && !a.noreturn) meet(g, d, true, kept);
      if (g[d].is_write() && pairs & after_write) meet(g, d, true, kept);
    }
  }

  // What an instruction barrier waits for is before all that comes after it.
  void barrier(const G& g, std::uint32_t t, const Action& a, const Set& kept) {
    for (const std::uint32_t one : dependencies_.elements(a.control_deps))
      if (const Id d = g.at_slot(t, slot_of(one)); d != none && g[d].is_read()) meet(g, d, false, kept);
  }

  CommitOrder order_;
  DependencyTable& dependencies_;
  bool pieces_;
  Set found_, nodes_;
  std::vector<std::uint32_t> below_; // of each thread: all before this slot was met
  std::vector<std::pair<Id, bool>> work_;
  std::vector<std::uint32_t> fenced_;
  std::uint32_t round_ = 0;
};

} // namespace fencepost
