// RISC-V's model (models/riscv.cat), tuned: preserved program order is found once for each event, from those before it
// in its thread, but for what hangs on whom a read sees; then a cycle of the global order is searched for. The numbers
// are those of the file.
#pragma once

#include "models/cycle_search.hpp"
#include "models/fence_pairs.hpp"
#include "models/judged_graph.hpp"

namespace fencepost {

template <unsigned W> class RiscvJudge {
public:
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  explicit RiscvJudge(const DependencyTable& dependencies) : graph_(dependencies) {}

  bool consistent(const G& g) {
    graph_.look(g);
    if (graph_.changed) find_rows(g);
    return graph_.coherent(g) && graph_.undivided(g, false) && ordered(g, nodes_);
  }
  // pre: the graph was consistent without `last`, and what is new in the order begins or ends there.
  bool still_consistent(const G& g, Id last) {
    graph_.look(g);
    if (graph_.changed) find_rows(g);
    FP_ASSERT(!rows(last).later, "an event that came alone should be no half of an AMO");
    Set only;
    only.set(g.bit(last));
    return graph_.coherent(g) && graph_.undivided(g, false) && ordered(g, only & nodes_);
  }
  void forget() { graph_.forget(); }

private:
  // By event: what comes before it.
  struct Rows {
    Set preserved;       // rules 1, 4 to 11 and 13
    Set address, data;   // what it depends on so
    Set reads;           // a read: those of its location before it without a write between (rule 2)
    Id partner = none;   // an AMO that is no compare-exchange: its other half
    bool later = false;  // it is that of the write, for which the read stands
    bool update = false; // a write of a pair
  };

  Rows& rows(Id e) {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < rows_.size(), "an event should have its rows");
    return rows_[static_cast<std::size_t>(e)];
  }

  void find_rows(const G& g) {
    rows_.resize(g.event.size());
    addresses_.resize(graph_.lines.size());
    nodes_.clear();
    writes_.clear();
    for (std::size_t t = 0; t < graph_.lines.size(); ++t) {
      const Line& line = graph_.lines[t];
      addresses_[t].resize(line.slot.size());
      // What is known of the read of an update hangs on the slot after it.
      for (std::size_t k = line.same - std::min<std::size_t>(line.same, 1); k < line.slot.size(); ++k)
        find_row(g, t, k);
      for (const Seen& one : line.slot) {
        if (!one.is_access()) continue;
        nodes_.set(g.bit(one.event));
        if (rows(one.event).later) writes_.set(g.bit(one.event));
      }
    }
  }

  void find_row(const G& g, std::size_t t, std::size_t k) {
    FP_ASSERT(k < graph_.lines[t].slot.size(), "a row should be of a slot of its thread");
    const Seen& one = graph_.lines[t].slot[k];
    Set& addresses = addresses_[t][k]; // of the accesses up to here
    if (k == 0)
      addresses.clear();
    else
      addresses = addresses_[t][k - 1];
    if (!one.is_access()) return;
    Rows& r = rows(one.event);
    r = {};
    Set control;
    depends(g, one, r, control);
    look_back(g, t, k, r);
    r.preserved |= r.address;                                                 // 9
    if (one.is_write()) r.preserved |= r.data | control | addresses;          // 10, 11, 13
    if (one.is_write() && one.pair != none) r.preserved.set(g.bit(one.pair)); // 8
    addresses |= r.address;
    r.update = one.is_write() && one.pair != none;
    if (!r.update || !one.action().rmw || compares(g, one) || !g.shown(one.pair)) return;
    r.partner = one.pair;
    r.later = true;
    rows(one.pair).partner = one.event;
  }

  // Dependencies start at reads, or at the success of a store-conditional.
  void depends(const G& g, const Seen& one, Rows& r, Set& control) {
    FP_ASSERT(one.is_access(), "what has dependencies here should be an access");
    const Action& a = one.action();
    const auto add = [&](DepSet deps, Set& to) {
      for (const std::uint32_t d : graph_.dependencies.elements(deps)) {
        const Id source = g.at_slot(g[one.event].thread, slot_of(d));
        if (source == none || !g.shown(source)) continue;
        if (d & success_dependency ? g[source].is_write() : g[source].is_read()) to.set(g.bit(source));
      }
    };
    add(a.address_deps, r.address);
    add(a.data_deps, r.data);
    add(a.control_deps, control);
  }

  // Whether a write is that of a compare-exchange: its own read decides whether it happens.
  bool compares(const G& g, const Seen& w) const {
    if (!w.is_write() || w.pair == none || !w.action().rmw) return false;
    FP_ASSERT(g[w.pair].is_read(), "the other half of a write should be a read");
    const auto& all = graph_.dependencies.elements(w.action().control_deps);
    return std::any_of(all.begin(), all.end(),
                       [&](std::uint32_t d) { return !(d & success_dependency) && slot_of(d) == g[w.pair].slot; });
  }

  // What an access is annotated with.
  struct Annotated {
    bool aq, rl, both_ways; // both_ways: RCsc
  };

  Annotated annotated(const G& g, std::size_t t, std::size_t k) const {
    const auto& slots = graph_.lines[t].slot;
    const Seen& one = slots[k];
    const Action& a = one.action();
    FP_ASSERT(one.is_access(), "what is annotated should be an access");
    const bool exclusive = a.part == Part::Exclusive || a.conditional >= 0;
    const bool update = one.is_write() ? one.pair != none : updates(a.part) && !one.failed_cas;
    const bool decides = one.is_read() && k + 1 < slots.size() && slots[k + 1].pair == one.event &&
                         compares(g, slots[k + 1]); // the read of a compare-exchange
    const bool may_release = one.is_write() || exclusive || (update && !decides);
    const bool aq = acquires(one.mode) && !compares(g, one);
    const bool rl = (releases(one.mode) && may_release) || one.mode == Mode::Sc;
    return {aq, rl, (aq || rl) && (exclusive || update)};
  }

  static unsigned pairs_of(FenceKind kind) {
    switch (kind) {
    case FenceKind::Lfence:
    case FenceKind::Sfence:
    case FenceKind::Eieio:
    case FenceKind::DmbSt:
    case FenceKind::DsbSt:
      return 0; // of other machines, and not in the file
    default:
      return detail::fence_pairs(kind);
    }
  }

  // Fences, annotations and the location of an access, going back from it.
  void look_back(const G& g, std::size_t t, std::size_t k, Rows& r) {
    const auto& slots = graph_.lines[t].slot;
    const Seen& one = slots[k];
    FP_ASSERT(one.is_access(), "who looks back should be an access");
    const Annotated own = annotated(g, t, k);
    const unsigned after_read = one.is_write() ? detail::RW : detail::RR;
    const unsigned after_write = one.is_write() ? detail::WW : detail::WR;
    unsigned pairs = 0;
    bool written = false;
    for (std::size_t j = k; j-- > 0;) {
      const Seen& e = slots[j];
      if (e.event != none && e.kind == ActionKind::Fence) pairs |= pairs_of(e.action().fence);
      if (!e.is_access()) continue;
      const Annotated other = annotated(g, t, j);
      const bool here = e.location == one.location;
      const bool by_fence = pairs & (e.is_read() ? after_read : after_write);
      if ((here && one.is_write()) || by_fence || other.aq || own.rl || (other.both_ways && own.both_ways))
        r.preserved.set(g.bit(e.event)); // 1, 4, 5, 6, 7
      if (!here) continue;
      if (one.is_read() && e.is_read() && !written) r.reads.set(g.bit(e.event));
      written |= e.is_write();
    }
  }

  // --- between threads -----------------------------------------------------------------------------------------------

  void add_before(const G& g, Id e, Set& found) {
    const SplitEvent& v = g[e];
    found |= rows(e).preserved;
    if (graph_.has_threads) found |= graph_.by_threads(v.thread, v.slot);
    if (v.is_read()) return see(g, e, found);
    if (v.co_before == none) return;
    if (v.co_before >= 0) found.set(g.bit(v.co_before));
    found |= g.readers_of(v.co_before, v.location) & nodes_;
  }

  // What hangs on whom a read sees: rules 2, 3 and 12, and reads-from of other threads.
  void see(const G& g, Id r, Set& found) {
    FP_ASSERT(g[r].is_read(), "who sees a write should be a read");
    const Id w = g[r].reads_from;
    rows(r).reads.each([&](unsigned e) {
      if (w == none || g.event[e].reads_from != w) found.set(e);
    });
    if (w < 0) return;
    if (g[w].thread != g[r].thread || rows(w).update) found.set(g.bit(w));
    if (g[w].thread == g[r].thread) found |= rows(w).address | rows(w).data;
  }

  // Both halves of an AMO are one; the read stands for them.
  Set before(const G& g, Id e) {
    Set found;
    add_before(g, e, found);
    if (const Id partner = rows(e).partner; partner != none) add_before(g, partner, found);
    (found & writes_).each([&](unsigned w) {
      FP_ASSERT(rows_[w].partner != none, "the write of an AMO should have its read");
      found.reset(w);
      found.set(g.bit(rows_[w].partner));
    });
    found.reset(g.bit(e));
    return found;
  }

  // Whether the global order has no cycle that some of these events come after. pre: coherence holds.
  bool ordered(const G& g, const Set& ends) {
    return search_.acyclic(nodes_ - writes_, ends, [&](Id e) { return before(g, e); });
  }

  JudgedGraph<W> graph_;
  std::vector<Rows> rows_;                  // by event
  std::vector<std::vector<Set>> addresses_; // by thread and slot: what the accesses up to there depend on by address
  Set nodes_, writes_;                      // accesses; writes for which their reads stand
  CycleSearch<W> search_;
};

} // namespace fencepost
