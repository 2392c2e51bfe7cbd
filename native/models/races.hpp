// Data races: Definition 3.10 of the RCMC paper.
#pragma once

#include "graph/graph.hpp"

namespace fencepost {

// An access that e conflicts with, one of the two being non-atomic, without happens-before between them; `none` where
// there is none. A read that reads from e is passed over: it is judged when it reads.
template <unsigned W> Id racing(const Graph<W>& g, Id e) {
  const Event& v = g[e];
  FP_ASSERT(v.is_read() || v.is_write(), "only accesses should race");
  FP_ASSERT(v.location < g.location.size(), "the location of an access should be known");
  const auto& l = g.location[v.location];
  Bits<W> others = v.is_write() ? l.writes | l.reads : l.writes;
  others -= g.hb_of(e);
  others.reset(g.bit(e));
  Id found = none;
  others.some([&](unsigned d) {
    const Event& u = g.event[d];
    if (u.thread == v.thread || (u.mode != Mode::Na && v.mode != Mode::Na)) return false;
    if (u.is_read() && u.reads_from == e) return false;
    found = static_cast<Id>(d);
    return true;
  });
  return found;
}

} // namespace fencepost
