// WRC11 (§5 of the RCMC paper): there is no coherence order. mo_weak of a location is what happens-before and the reads
// of that location say: [W]; (hb ∪ rf)+; [W] on the accesses of the location. The slow twin is reference/axioms.py.
//
// (hb ∪ rf)+ leads to an event only from its own prefix, so `Graph::earlier` holds it for good, as `hb` does. Then
//   eco(x, y), with w what x reads: y is a write after w in mo_weak, or a read of such a write
// is all that can close a cycle with hb(y, x): where x is a write, hb(y, x) and eco(x, y) would make mo_weak cyclic,
// and mo_weak is part of (po ∪ rf)+. So only a read can be incoherent, and only where its source is overtaken.
#pragma once

#include "graph/graph.hpp"
#include "models/model.hpp"
#include "models/psc.hpp"

namespace fencepost {

template <unsigned W> class WeakOrder {
public:
  using Set = Bits<W>;

  // Whether the whole graph is consistent.
  bool consistent(const Graph<W>& g) {
    for (Location l = 0; l < g.location.size(); ++l) {
      if (g.location[l].reads.some([&](unsigned r) { return !coherent(g, static_cast<Id>(r)); })) return false;
      if (g.location[l].writes.some([&](unsigned w) { return !atomic(g, static_cast<Id>(w)); })) return false;
    }
    return psc_.consistent(g, *this);
  }

  // The same for a graph that is consistent without read r, after which nothing comes. `sc`: the program has SC
  // accesses or SC fences. From a read whose source is not overtaken no edge leads on, so it closes no cycle.
  bool accepts_read(const Graph<W>& g, Id r, bool sc) {
    if (overtaking(g, r).none()) return true;
    return coherent(g, r) && (!sc || psc_.consistent(g, *this));
  }

  // No two read-modify-writes read the same write, and no write is between what one reads and what it writes. Nothing
  // else can be wrong with a write after which nothing comes.
  bool atomic(const Graph<W>& g, Id w) const {
    if (!g[w].is_update()) return true;
    const Location l = g[w].location;
    const Id read = g.read_of_update(w), source = g[read].reads_from;
    const bool taken = g.readers_of(source, l).some([&](unsigned r) {
      const Id next = g.event[r].po_after;
      return static_cast<Id>(r) != read && next != none && g[next].is_update();
    });
    if (taken) return false;
    const Set between = earlier(g, w) & g.location[l].writes;
    if (source == initial) return between.none();
    return !between.some([&](unsigned d) { return earlier(g, static_cast<Id>(d)).test(g.bit(source)); });
  }

  // Whether read r has not seen, by happens-before, that its source is overtaken.
  bool coherent(const Graph<W>& g, Id r) const {
    const Set& known = g.hb_of(r);
    return !overtaking(g, r).some([&](unsigned w) { return known.test(w) || g.readers[w].meets(known); });
  }

  // The least, by thread and index, of the writes that nothing in `previous` follows in mo_weak of those alone.
  template <class F> Id canonical_source(const Graph<W>& g, Id read, F&& previous) {
    FP_ASSERT(g[read].is_read(), "only a read should have a canonical source");
    const Location l = g[read].location;
    Set here;
    (g.location[l].writes | g.location[l].reads).each([&](unsigned e) {
      if (static_cast<Id>(e) != read && previous(static_cast<Id>(e))) here.set(e);
    });
    const Set writes = here & g.location[l].writes;
    if (writes.none()) return initial;
    // From a write to the next that follows it there are only happens-before, and reads-from with happens-before after
    // it: what comes between two writes are reads, and no reads-from begins at a read.
    Set known;
    writes.each([&](unsigned w) { known |= g.hb[w]; });
    Id best = none;
    writes.each([&](unsigned w) {
      if (known.test(w) || (g.readers[w] & here).meets(known)) return;
      const Event &v = g.event[w], *b = best == none ? nullptr : &g[best];
      if (!b || v.thread < b->thread || (v.thread == b->thread && v.index < b->index)) best = static_cast<Id>(w);
    });
    return best;
  }

  // What psc asks: who is mo-before a write, with those who read from them; and eco.
  Set before(const Graph<W>& g, Id w) const {
    const Location l = g[w].location;
    Set found = g.location[l].initial_readers;
    (earlier(g, w) & g.location[l].writes).each([&](unsigned d) {
      found.set(d);
      found |= g.readers[d];
    });
    found.reset(g.bit(w));
    return found;
  }
  Set eco_before(const Graph<W>& g, Id z) const {
    const Event& v = g[z];
    if (v.is_write()) return before(g, z);
    if (!v.is_read() || v.reads_from < 0) return {};
    Set found = before(g, v.reads_from);
    found.set(g.bit(v.reads_from));
    return found;
  }

private:
  static const Set& earlier(const Graph<W>& g, Id e) {
    FP_ASSERT(static_cast<std::size_t>(e) < g.earlier.size(), "who is asked should have been ordered");
    return g.earlier[static_cast<std::size_t>(e)];
  }

  // The writes after what r reads, in mo_weak.
  static Set overtaking(const Graph<W>& g, Id r) {
    FP_ASSERT(g[r].is_read() && g[r].reads_from != none, "a read that is judged should have a source");
    const Id source = g[r].reads_from;
    const Set& writes = g.location[g[r].location].writes;
    if (source == initial) return writes;
    Set found;
    writes.each([&](unsigned w) {
      if (earlier(g, static_cast<Id>(w)).test(g.bit(source))) found.set(w);
    });
    return found;
  }

  PartialSc<W, WeakOrder<W>> psc_;
};

} // namespace fencepost
