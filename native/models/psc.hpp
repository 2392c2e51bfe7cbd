// RC11's last axiom, acyclic(psc), on SC accesses and SC fences (§3.2 of the RCMC paper):
//   scb = sb ∪ sb|≠loc; hb; sb|≠loc ∪ hb|loc ∪ co ∪ fr
//   psc = ([Esc] ∪ [Fsc]; hb?); scb; ([Esc] ∪ hb?; [Fsc])  ∪  [Fsc]; (hb ∪ hb; eco; hb); [Fsc]
// Computed from the targets backwards, since rows hold predecessors. Cost: (SC events) × (rows they reach).
#pragma once

#include "graph/graph.hpp"
#include "models/model.hpp"

#include <vector>

namespace fencepost {

// Coherence as the graph has it.
template <unsigned W> struct Coherence {
  using Set = Bits<W>;

  // Writes that are coherence-before w, and everybody who reads from them (co and fr).
  static Set before(const Graph<W>& g, Id w) {
    FP_ASSERT(g[w].is_write(), "coherence should be asked of a write");
    const Location l = g[w].location;
    Set found = g.location[l].initial_readers;
    for (Id d = g[w].co_before; d >= 0; d = g[d].co_before) {
      found.set(g.bit(d));
      found |= g.readers_of(d, l);
    }
    found.reset(g.bit(w));
    return found;
  }

  static Set eco_before(const Graph<W>& g, Id z) {
    const Event& v = g[z];
    if (v.is_write()) return before(g, z);
    if (!v.is_read() || v.reads_from < 0) return {};
    Set found = before(g, v.reads_from);
    found.set(g.bit(v.reads_from));
    return found;
  }
};

// `Writes` says which writes come before one: coherence, or what stands for it (`before`, `eco_before`).
template <unsigned W, class Writes> class PartialSc {
public:
  using Set = Bits<W>;

  // Whether psc is acyclic.
  bool consistent(const Graph<W>& g, const Writes& writes) {
    writes_ = &writes;
    collect(g);
    if (fences_.count() + accesses_.count() < 2) return true;
    std::vector<Id> events;
    (fences_ | accesses_).each([&](unsigned e) { events.push_back(static_cast<Id>(e)); });
    // Repeatedly take away events without predecessors; what remains holds a cycle.
    Set left = fences_ | accesses_;
    FP_ASSERT(!fences_.meets(accesses_), "no event should be a fence and an access");
    std::vector<Set> before(events.size());
    for (std::size_t k = 0; k < events.size(); ++k)
      before[k] = psc_before(g, events[k]);
    for (bool changed = true; changed && left.any();) {
      changed = false;
      for (std::size_t k = 0; k < events.size(); ++k)
        if (left.test(g.bit(events[k])) && !before[k].meets(left)) left.reset(g.bit(events[k])), changed = true;
    }
    return left.none();
  }

private:
  void collect(const Graph<W>& g) {
    fences_.clear();
    accesses_.clear();
    for (const Id e : g.order) {
      const Event& v = g[e];
      if (v.waiting) continue;
      if (v.is_fence() && c11_fence(v.at->action.fence) == Mode::Sc) fences_.set(g.bit(e));
      if ((v.is_read() || v.is_write()) && v.mode == Mode::Sc) accesses_.set(g.bit(e));
    }
  }

  Set psc_before(const Graph<W>& g, Id x) const {
    FP_ASSERT((fences_ | accesses_).test(g.bit(x)), "psc should be asked of what is in it");
    const bool fence = g[x].is_fence();
    Set targets;
    targets.set(g.bit(x));
    if (fence) targets |= g.hb_of(x);
    Set sources;
    targets.each([&](unsigned y) { sources |= scb_before(g, static_cast<Id>(y)); });
    Set found = sources & (accesses_ | fences_);
    found |= happens_before_any(g, sources) & fences_;
    if (fence) {
      Set eco;
      g.hb_of(x).each([&](unsigned y) { eco |= writes_->eco_before(g, static_cast<Id>(y)); });
      found |= (g.hb_of(x) | happens_before_any(g, eco)) & fences_;
    }
    return found;
  }

  static Set happens_before_any(const Graph<W>& g, const Set& events) {
    Set found;
    events.each([&](unsigned e) { found |= g.hb[e]; });
    return found;
  }

  // What is sequenced before y: earlier events of its thread, of those that started it, and of those that these joined.
  static Set sequenced_before(const Graph<W>& g, Id y) {
    Set found;
    add_sequenced(g, y, found);
    return found;
  }

  static void add_sequenced(const Graph<W>& g, Id y, Set& found) {
    for (Id d = y; d != none;) {
      if (const Id last = g.joined(d); last != none && !found.test(g.bit(last))) {
        found.set(g.bit(last));
        add_sequenced(g, last, found);
      }
      d = g[d].po_before != none ? g[d].po_before : g.thread[g[d].thread].spawned_by;
      if (d == none || found.test(g.bit(d))) return;
      found.set(g.bit(d));
    }
  }

  // Sequenced before y at a place that is not y's.
  static Set elsewhere_before(const Graph<W>& g, Id y) {
    Set found;
    sequenced_before(g, y).each([&](unsigned d) {
      const Event& v = g[static_cast<Id>(d)];
      if (v.location == no_location || v.location != g[y].location) found.set(d);
    });
    return found;
  }

  Set scb_before(const Graph<W>& g, Id y) const {
    const Event& v = g[y];
    Set found = sequenced_before(g, y);
    happens_before_any(g, elsewhere_before(g, y)).each([&](unsigned z) {
      found |= elsewhere_before(g, static_cast<Id>(z));
    });
    if (v.location != no_location) {
      const auto& l = g.location[v.location];
      found |= g.hb_of(y) & (l.reads | l.writes);
      if (v.is_write()) found |= writes_->before(g, y);
    }
    return found;
  }

  const Writes* writes_ = nullptr;
  Set fences_, accesses_;
};

} // namespace fencepost
