// What the explorer asks of a model: which writes a read may see, where a write may stand, and whether the graph with
// the new event is consistent. pre everywhere: the graph without the new event is consistent, and nothing comes after
// the new event in program order. So a cycle through it must leave it by coherence or from-read: an event that is not
// overtaken (a fence, the coherence-last write, a read of that write) is always accepted.
#pragma once

#include "graph/graph.hpp"
#include "models/global_order.hpp"
#include "models/model.hpp"
#include "models/psc.hpp"
#include "models/rows.hpp"
#include "models/weak_order.hpp"

namespace fencepost {

template <unsigned W> class Consistency {
public:
  using Set = Bits<W>;

  // `sc`: the program has SC accesses or SC fences.
  Consistency(Model model, bool sc) : model_(model), sc_(sc), order_(model) {}

  Model model() const { return model_; }

  // Everything whose effect the thread of e knows before e takes its own.
  Set view(const Graph<W>& g, Id e) const {
    if (own_happens_before(model_)) return happens_before(g, e);
    if (model_ != Model::Pso) return prefix_before(g, e);
    Set own;
    for (Id d = g[e].po_before; d != none; d = g[d].po_before)
      own.set(g.bit(d));
    return own;
  }

  // Whether coherence forbids whoever has this view to see, or to write before, anything older than w.
  static bool is_floor(const Graph<W>& g, Id w, Location l, const Set& view) {
    FP_ASSERT(w == initial || g[w].location == l, "a floor should be of the location");
    return w == initial || view.test(g.bit(w)) || g.readers_of(w, l).meets(view);
  }

  WeakOrder<W>& weak_order() { return weak_; }

  // Without coherence: what a read reads in the canonical run.
  template <class F> Id canonical_source(const Graph<W>& g, Id read, F&& previous) {
    return weak_.canonical_source(g, read, previous);
  }

  // Whether the graph stays consistent with read e in it. pre: what it reads is not below the floor.
  bool accepts_read(const Graph<W>& g, Id e) {
    if (without_coherence(model_)) return weak_.accepts_read(g, e, sc_);
    const Event& v = g[e];
    FP_ASSERT(v.is_read() && v.reads_from != none, "a read that is judged should have a source");
    FP_ASSERT(!v.waiting, "a marker should not be judged");
    const bool overtaken = g.coherence_after(v.reads_from, v.location) != none;
    if (!overtaken) return true;
    if (global_order(model_)) return !order_.cyclic(g, e);
    return !own_happens_before(model_) || !sc_ || psc_.consistent(g, coherence_);
  }

  // The same for write e at its place in coherence.
  bool accepts_write(const Graph<W>& g, Id e) {
    if (without_coherence(model_)) return weak_.atomic(g, e);
    const Event& v = g[e];
    FP_ASSERT(v.is_write() && v.co_before != none, "a write that is judged should have a place");
    if (v.co_after == none) return true;
    if (global_order(model_)) return !order_.cyclic(g, e);
    return !own_happens_before(model_) || !sc_ || psc_.consistent(g, coherence_);
  }

private:
  Model model_;
  bool sc_;
  GlobalOrder<W> order_;
  PartialSc<W, Coherence<W>> psc_;
  Coherence<W> coherence_;
  WeakOrder<W> weak_;
};

} // namespace fencepost
