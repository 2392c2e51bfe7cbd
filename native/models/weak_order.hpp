// WRC11 (§5 of the RCMC paper): there is no coherence order. mo_weak of a location is what happens-before and the reads
// of that location say: [W]; (hb ∪ rf)+; [W] on the accesses of the location. The slow twin is reference/axioms.py.
#pragma once

#include "graph/graph.hpp"
#include "models/model.hpp"
#include "models/psc.hpp"

#include <vector>

namespace fencepost {

template <unsigned W> class WeakOrder {
public:
  using Set = Bits<W>;

  bool consistent(const Graph<W>& g) {
    rows_.assign(g.event.size(), {});
    eco_.assign(g.event.size(), {});
    for (Location l = 0; l < g.location.size(); ++l) {
      const Set accesses = g.location[l].writes | g.location[l].reads;
      if (accesses.none()) continue;
      order(g, l, accesses);
      if (!atomic(g, l) || !coherent(g, l, accesses)) return false;
    }
    return psc_.consistent(g, *this);
  }

  // Whether the accesses of one location are coherent.
  bool coherent(const Graph<W>& g, Location l) {
    rows_.assign(g.event.size(), {});
    eco_.assign(g.event.size(), {});
    const Set accesses = g.location[l].writes | g.location[l].reads;
    order(g, l, accesses);
    return coherent(g, l, accesses);
  }

  // The same where only the accesses of one location have changed, in a program without SC accesses and SC fences.
  bool consistent_at(const Graph<W>& g, Location l) {
    const Set accesses = g.location[l].writes | g.location[l].reads;
    grow(g);
    accesses.each([&](unsigned y) { eco_[y] = {}; });
    order(g, l, accesses);
    return atomic(g, l) && coherent(g, l, accesses);
  }

  // The least, by thread and index, of the writes that nothing in `previous` follows in mo_weak.
  template <class F> Id canonical_source(const Graph<W>& g, Id read, F&& previous) {
    FP_ASSERT(g[read].is_read(), "only a read should have a canonical source");
    const Location l = g[read].location;
    Set here;
    (g.location[l].writes | g.location[l].reads).each([&](unsigned e) {
      if (static_cast<Id>(e) != read && previous(static_cast<Id>(e))) here.set(e);
    });
    grow(g);
    order(g, l, here);
    const Set writes = here & g.location[l].writes;
    if (writes.none()) return initial;
    Id best = none;
    writes.each([&](unsigned w) {
      // A write is last where it is before no other.
      if (writes.some([&](unsigned o) { return o != w && rows_[o].test(w); })) return;
      const Event &v = g.event[w], *b = best == none ? nullptr : &g[best];
      if (!b || v.thread < b->thread || (v.thread == b->thread && v.index < b->index)) best = static_cast<Id>(w);
    });
    return best;
  }

  // What psc asks: who is mo-before a write, with those who read from them; and eco.
  Set before(const Graph<W>& g, Id w) const {
    FP_ASSERT(static_cast<std::size_t>(w) < rows_.size(), "who is asked should have been ordered");
    const Location l = g[w].location;
    Set found = g.location[l].initial_readers;
    (rows_[static_cast<std::size_t>(w)] & g.location[l].writes).each([&](unsigned d) {
      found.set(d);
      found |= g.readers[d];
    });
    found.reset(g.bit(w));
    return found;
  }
  Set eco_before(const Graph<W>& g, Id z) const {
    return g[z].location == no_location ? Set{} : eco_[static_cast<std::size_t>(z)];
  }

private:
  void grow(const Graph<W>& g) {
    if (rows_.size() >= g.event.size()) return;
    rows_.resize(g.event.size());
    eco_.resize(g.event.size());
  }

  // rows_[y] := the accesses of the location that are before y in (hb ∪ rf)+.
  void order(const Graph<W>& g, Location l, const Set& here) {
    FP_ASSERT(!(here - g.used).any(), "accesses that are ordered should be there");
    here.each([&](unsigned y) {
      rows_[y] = g.hb[y] & here;
      const Id w = g.event[y].reads_from;
      if (w >= 0 && here.test(g.bit(w))) rows_[y].set(g.bit(w));
    });
    (void)l;
    close(rows_, here);
  }

  static void close(std::vector<Set>& rows, const Set& here) {
    here.each([&](unsigned k) {
      here.each([&](unsigned y) {
        if (rows[y].test(k)) rows[y] |= rows[k];
      });
    });
  }

  // No two read-modify-writes read the same write, and no write is between what one reads and what it writes.
  bool atomic(const Graph<W>& g, Location l) const {
    Set taken;
    bool initial_taken = false;
    return !g.location[l].writes.some([&](unsigned w) {
      if (!g.event[w].is_update()) return false;
      const Id source = g[g.read_of_update(static_cast<Id>(w))].reads_from;
      const Set between = rows_[w] & g.location[l].writes;
      if (source == initial) {
        if (initial_taken || between.any()) return true;
        initial_taken = true;
        return false;
      }
      if (taken.test(g.bit(source))) return true;
      taken.set(g.bit(source));
      return between.some([&](unsigned d) { return rows_[d].test(g.bit(source)); });
    });
  }

  // eco = (mo ∪ rf ∪ rf⁻¹;mo)+, and hb; eco? irreflexive. The initial write is before everything.
  bool coherent(const Graph<W>& g, Location l, const Set& accesses) {
    const Set& writes = g.location[l].writes;
    accesses.each([&](unsigned y) {
      const Event& v = g.event[y];
      Set& row = eco_[y];
      if (v.is_write()) {
        row = rows_[y] & writes;
        row.each([&](unsigned d) { row |= g.readers[d]; });
        row |= g.location[l].initial_readers;
        // The read half of an update is before its own write by rf⁻¹;mo, which is as it should be.
      } else if (v.reads_from >= 0) {
        row.set(g.bit(v.reads_from));
      }
    });
    close(eco_, accesses);
    return !accesses.some([&](unsigned y) {
      if (eco_[y].test(y)) return true;
      // eco(x, y) and hb(y, x)
      return eco_[y].some([&](unsigned x) { return g.hb[x].test(y); });
    });
  }

  std::vector<Set> rows_, eco_;
  PartialSc<W, WeakOrder<W>> psc_;
};

} // namespace fencepost
