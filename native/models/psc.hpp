// RC11's last axiom, acyclic(psc), on SC accesses and SC fences (§3.2 of the RCMC paper):
//   scb = sb ∪ sb|≠loc; hb; sb|≠loc ∪ hb|loc ∪ co ∪ fr
//   psc = ([Esc] ∪ [Fsc]; hb?); scb; ([Esc] ∪ hb?; [Fsc])  ∪  [Fsc]; (hb ∪ hb; eco; hb); [Fsc]
// Computed from the targets backwards, since rows hold predecessors. What happens before an event is in each thread all
// that thread did up to some event, so most unions are one row for each thread: docs/how/exploration.md.
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

// `Writes` says which writes come before one: coherence, or what stands for it (`before`, `eco_before`). G: a Graph, or
// what looks like one.
template <unsigned W, class Writes, class G = Graph<W>> class PartialSc {
public:
  using Set = Bits<W>;

  // Whether psc is acyclic.
  bool consistent(const G& g, const Writes& writes) {
    writes_ = &writes;
    collect(g);
    between_fences_.clear();
    if (events_.size() < 2) return true;
    begin(g);
    // Repeatedly take away events without predecessors; what remains holds a cycle.
    Set left = fences_ | accesses_;
    FP_ASSERT(!fences_.meets(accesses_), "no event should be a fence and an access");
    before_.resize(events_.size());
    for (std::size_t k = 0; k < events_.size(); ++k)
      before_[k] = psc_before(g, events_[k]);
    for (bool changed = true; changed && left.any();) {
      changed = false;
      for (std::size_t k = 0; k < events_.size(); ++k)
        if (left.test(g.bit(events_[k])) && !before_[k].meets(left)) left.reset(g.bit(events_[k])), changed = true;
    }
    return left.none();
  }

  // psc-fence, after `consistent` found it: each SC fence with those before it. Where there is one event alone,
  // nothing.
  const std::vector<std::pair<Id, Set>>& between_fences() const { return between_fences_; }

private:
  // What a thread did, in program order, and how far the sums over its events are done.
  struct Line {
    std::vector<Id> events;
    std::size_t sequenced = 0, summed = 0;
  };

  void collect(const G& g) {
    fences_.clear();
    accesses_.clear();
    events_.clear();
    for (const Id e : g.order) {
      const auto& v = g[e];
      if (v.waiting) continue;
      if (v.is_fence() && c11_fence(v.at->action.fence) == Mode::Sc)
        fences_.set(g.bit(e)), events_.push_back(e);
      else if ((v.is_read() || v.is_write()) && v.mode == Mode::Sc)
        accesses_.set(g.bit(e)), events_.push_back(e);
    }
  }

  void begin(const G& g) {
    if (lines_.size() < g.thread.size()) lines_.resize(g.thread.size());
    for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
      Line& line = lines_[t];
      line.sequenced = line.summed = 0;
      const Id last = g.thread[t].last;
      line.events.resize(last == none ? 0 : g[last].index + 1);
      for (Id e = last; e != none; e = g[e].po_before)
        line.events[g[e].index] = e;
    }
    const std::size_t size = g.event.size();
    if (sequenced_.size() >= size) return;
    sequenced_.resize(size);
    scb_sum_.resize(size);
    eco_sum_.resize(size);
    run_.resize(size);
  }

  Set psc_before(const G& g, Id x) {
    FP_ASSERT((fences_ | accesses_).test(g.bit(x)), "psc should be asked of what is in it");
    Set sources = scb_before(g, x), eco;
    const bool fence = g[x].is_fence();
    if (fence)
      each_latest(g, g.hb_of(x), [&](Id y) {
        sum(g, y);
        sources |= scb_sum_[at(y)];
        eco |= eco_sum_[at(y)];
      });
    Set found = sources & (accesses_ | fences_);
    if (fences_.none()) return found;
    if (!fence) return found | (happens_before_any(g, sources) & fences_);
    const Set by_fences = (g.hb_of(x) | happens_before_any(g, eco)) & fences_;
    between_fences_.emplace_back(x, by_fences);
    return found | by_fences | (happens_before_any(g, sources) & fences_);
  }

  // Calls f with the last event of each thread in `events`, a set with all that happens before its members.
  template <class F> void each_latest(const G& g, const Set& events, F&& f) const {
    for (std::uint32_t t = 0; t < g.thread.size(); ++t)
      if (const unsigned known = (events & g.thread[t].events).count()) f(lines_[t].events[known - 1]);
  }

  // What happens before any of the events: in each thread, before the last of them.
  Set happens_before_any(const G& g, const Set& events) const {
    Set found, rest = events; // what is left at the end stands in no thread: waits that read what does not serve them
    for (std::uint32_t t = 0; t < g.thread.size(); ++t) {
      rest -= g.thread[t].events;
      const auto& line = lines_[t].events;
      for (std::size_t k = events.meets(g.thread[t].events) ? line.size() : 0; k-- > 0;)
        if (events.test(g.bit(line[k]))) {
          found |= g.hb_of(line[k]);
          break;
        }
    }
    rest.each([&](unsigned e) { found |= g.hb[e]; });
    return found;
  }

  // sequenced_[y]: earlier events of its thread, of those that started it, and of those that these joined.
  // run_[y]: the first of the accesses of one location that end, one right after the other, with y.
  const Set& sequenced_before(const G& g, Id y) {
    Line& line = lines_[g[y].thread];
    while (line.sequenced <= g[y].index) {
      const Id e = line.events[line.sequenced], before = g[e].po_before, joined = g.joined(e);
      const Id after = before != none ? before : g.thread[g[e].thread].spawned_by;
      Set found;
      for (const Id d : {after, joined})
        if (d != none) {
          found |= sequenced_before(g, d);
          found.set(g.bit(d));
        }
      sequenced_[at(e)] = found;
      const bool goes_on = before != none && g[e].location != no_location && g[before].location == g[e].location;
      run_[at(e)] = goes_on ? run_[at(before)] : e;
      ++line.sequenced;
    }
    return sequenced_[at(y)];
  }

  Set scb_before(const G& g, Id y) {
    const auto& v = g[y];
    Set found = sequenced_before(g, y), known;
    // sb|≠loc; hb: from the last event that is elsewhere, which is right before the run.
    const Id first = run_[at(y)];
    const Id elsewhere = g[first].po_before != none ? g[first].po_before : g.thread[v.thread].spawned_by;
    for (const Id d : {elsewhere, g.joined(y)})
      if (d != none) known |= g.hb_of(d);
    each_latest(g, known, [&](Id z) {
      sequenced_before(g, z);
      found |= sequenced_[at(run_[at(z)])];
    });
    if (v.location != no_location) {
      const auto& l = g.location[v.location];
      found |= g.hb_of(y) & (l.reads | l.writes);
      if (v.is_write()) found |= writes_->before(g, y);
    }
    return found;
  }

  // scb_sum_[y], eco_sum_[y]: what is scb- and eco-before y or an earlier event of its thread.
  void sum(const G& g, Id y) {
    Line& line = lines_[g[y].thread];
    for (; line.summed <= g[y].index; ++line.summed) {
      const Id e = line.events[line.summed], before = g[e].po_before;
      Set scb = scb_before(g, e), eco = writes_->eco_before(g, e);
      if (before != none) scb |= scb_sum_[at(before)], eco |= eco_sum_[at(before)];
      scb_sum_[at(e)] = scb;
      eco_sum_[at(e)] = eco;
    }
  }

  static std::size_t at(Id e) { return static_cast<std::size_t>(e); }

  const Writes* writes_ = nullptr;
  Set fences_, accesses_;
  std::vector<Id> events_, run_; // events_: the SC ones
  std::vector<Set> before_, sequenced_, scb_sum_, eco_sum_;
  std::vector<Line> lines_;
  std::vector<std::pair<Id, Set>> between_fences_;
};

} // namespace fencepost
