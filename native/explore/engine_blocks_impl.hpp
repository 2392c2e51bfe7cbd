// Programs with atomic blocks are explored as if there were none, and what breaks a block is left out at the end. To
// leave it out as soon as it breaks one would lose executions: the read that a later write revisits may have to stand
// in a block that cannot end before. What can be left out at once is what stays broken whatever is revisited later.
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

// Whether no revisit can ever take e away, if all of `kept` stays: it was not added as the canonical run would have
// (see `maximal`), seen from any write whose prefix holds `kept`.
template <unsigned W> bool Engine<W>::must_stay(Id e, const Set& kept) const {
  const Graph<W>& g = graph();
  const Event& v = g[e];
  if (v.kind == ActionKind::Choose) return v.value != v.at->action.value;
  if (!v.is_read() && !v.is_write()) return false;
  const auto stays = [&](Id d) { return g[d].stamp < v.stamp || kept.test(g.bit(d)); };
  if (v.is_write() && g.readers_of(e, v.location).some([&](unsigned r) { return stays(static_cast<Id>(r)); }))
    return true;
  for (Id d = g.coherence_after(v.is_write() ? e : v.reads_from, v.location); d != none; d = g[d].co_after)
    if (stays(d)) return true;
  return false;
}

// Adds e, and with it what every later write has in its prefix that has e there: what comes before e, and what follows
// it up to the next event that another thread can see.
template <unsigned W> void Engine<W>::keep(Id e, Set& kept) const {
  const Graph<W>& g = graph();
  add_with_prefix(kept, g.prefix, e);
  for (; !g[e].is_write() && g[e].kind != ActionKind::Spawn && g[e].po_after != none;
       add_with_prefix(kept, g.prefix, e))
    e = g[e].po_after;
}

// Whether a block is broken and stays so. A revisit of r by a keeps what was added before r and what is before a, and
// everything that it takes away must be able to go. So for each r, newest first: if the block is broken among what was
// added before r and what must stay of the rest, it is so after every revisit of r, and after every one that follows.
template <unsigned W> bool Engine<W>::hopeless() {
  const Graph<W>& g = graph();
  if (!has_blocks_ || !blocks_.broken(g, g.used)) return false;
  Set kept, before = g.used;
  for (auto at = g.order.rbegin(); at != g.order.rend(); ++at) {
    const Id e = *at;
    const Event& v = g[e];
    before.reset(g.bit(e));
    const bool stays = kept.test(g.bit(e)) || (!v.waiting && must_stay(e, kept));
    if (v.is_read() && !stays && !blocks_.broken(g, before | kept)) return false;
    if (stays) keep(e, kept);
  }
  return true;
}

// What was wrong with an execution. pre: g has its final happens-before.
template <unsigned W> void Engine<W>::report_at_the_end(const Graph<W>& g) {
  for (std::uint32_t t = 0; t < g.thread.size(); ++t)
    if (g.thread[t].stuck)
      if (const auto found = fault(t)) report_fault(g, t, *found);
  for (const Id e : g.order) {
    const Event& v = g[e];
    if (v.waiting || !(v.is_read() || v.is_write() || v.kind == ActionKind::Free)) continue;
    reporter_.memory(g, e);
    if (!has_non_atomics_ || !own_hb_ || !options_.races || v.kind == ActionKind::Free) continue;
    const auto& l = g.location[v.location];
    ((v.is_write() ? l.writes | l.reads : l.writes) - g.hb_of(e)).some([&](unsigned d) {
      const Event& u = g.event[d];
      if (u.stamp >= v.stamp || u.thread == v.thread || (u.mode != Mode::Na && v.mode != Mode::Na)) return false;
      if (g.hb[d].test(g.bit(e))) return false;
      reporter_.report(g, ErrorKind::Race, "data race", v.at->action.position, static_cast<std::int32_t>(v.thread),
                       {static_cast<Id>(d), e});
      return true;
    });
  }
}

} // namespace fencepost
