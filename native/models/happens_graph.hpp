// A graph as PartialSc sees one: what a model sees of each thread, in program order, with what happens before each
// event as a row.
#pragma once

#include "models/happens_before.hpp"

namespace fencepost {

template <unsigned W> struct HappensGraph {
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  struct Node {
    const LocalState* at = nullptr;
    std::uint32_t thread = 0, index = 0;
    Location location = no_location;
    Id po_before = none;
    ActionKind kind = ActionKind::Fence;
    Mode mode = Mode::Na;
    static constexpr bool waiting = false;
    bool is_read() const { return kind == ActionKind::Read; }
    bool is_write() const { return kind == ActionKind::Write; }
    bool is_fence() const { return kind == ActionKind::Fence; }
  };
  struct Thread {
    Id last = none, spawned_by = none;
    Set events;
  };
  struct Place {
    Set reads, writes;
  };

  std::vector<Node> event;
  std::vector<Id> order;
  std::vector<Thread> thread;
  std::vector<Place> location;
  std::vector<Set> hb;

  const Node& operator[](Id e) const { return event[static_cast<std::size_t>(e)]; }
  static unsigned bit(Id e) { return G::bit(e); }
  const Set& hb_of(Id e) const {
    FP_ASSERT(e >= 0 && static_cast<std::size_t>(e) < hb.size(), "an event should have its happens-before");
    return hb[static_cast<std::size_t>(e)];
  }
  Id joined(Id e) const {
    return (*this)[e].kind == ActionKind::Join ? thread[(*this)[e].at->action.value].last : none;
  }

  // The threads and their events. To be called where they changed.
  void take(const G& g, const Lines<G>& lines) {
    event.resize(g.event.size());
    order.clear();
    thread.assign(g.thread.size(), {});
    location.assign(g.location.size(), {});
    for (std::uint32_t t = 0; t < thread.size(); ++t) {
      thread[t].spawned_by = g.thread[t].spawned_by;
      std::uint32_t index = 0;
      for (const Seen& one : lines[t].slot)
        if (one.event != none) append(g, t, index++, one);
    }
  }

  // What happens before each event.
  void find(const G& g, const HappensBefore<W>& known) {
    FP_ASSERT(event.size() <= g.event.size(), "the events of a graph should have been taken");
    hb.resize(event.size());
    for (const Id e : order)
      hb[static_cast<std::size_t>(e)] = {};
    for (std::size_t u = 0; u < thread.size(); ++u)
      for (std::size_t t = 0; t < thread.size(); ++t)
        merge(g, known, u, t);
  }

private:
  void append(const G& g, std::uint32_t t, std::uint32_t index, const Seen& one) {
    Thread& th = thread[t];
    event[static_cast<std::size_t>(one.event)] = {one.at, t, index, one.location, th.last, one.kind, one.mode};
    th.last = one.event;
    th.events.set(g.bit(one.event));
    order.push_back(one.event);
    if (!one.is_access()) return;
    FP_ASSERT(one.location < location.size(), "an access should be to a known location");
    Place& here = location[one.location];
    (one.is_read() ? here.reads : here.writes).set(g.bit(one.event));
  }

  // Adds to the rows of one thread what happens before them in another, or in their own.
  void merge(const G& g, const HappensBefore<W>& known, std::size_t t, std::size_t from) {
    std::vector<Id> mine, others;
    for (Id e = thread[t].last; e != none; e = (*this)[e].po_before)
      mine.push_back(e);
    for (Id e = thread[from].last; e != none; e = (*this)[e].po_before)
      others.push_back(e);
    Set some;
    for (; !mine.empty(); mine.pop_back()) { // their rows grow along program order
      for (; !others.empty() && g[others.back()].slot < known.slots_before(mine.back(), from); others.pop_back())
        some.set(g.bit(others.back()));
      hb[static_cast<std::size_t>(mine.back())] |= some;
    }
  }
};

// Coherence as a graph has it, for PartialSc.
template <unsigned W> struct SplitCoherence {
  using Set = Bits<W>;

  const SplitGraph<W>* graph = nullptr;
  Set shown; // what the model sees

  // Writes that are coherence-before w, and everybody who reads from them (co and fr).
  Set before(const HappensGraph<W>&, Id w) const {
    const SplitGraph<W>& g = *graph;
    FP_ASSERT(g[w].is_write(), "coherence should be asked of a write");
    if (g[w].co_before == none) return {};
    const Location l = g[w].location;
    Set found = g.location[l].initial_readers;
    for (Id d = g[w].co_before; d >= 0; d = g[d].co_before) {
      found.set(g.bit(d));
      found |= g.readers_of(d, l);
    }
    return found & shown;
  }

  Set eco_before(const HappensGraph<W>& h, Id z) const {
    const SplitGraph<W>& g = *graph;
    if (h[z].is_write()) return before(h, z);
    if (!h[z].is_read() || g[z].reads_from < 0) return {};
    Set found = before(h, g[z].reads_from);
    found.set(g.bit(g[z].reads_from));
    return found;
  }
};

} // namespace fencepost
