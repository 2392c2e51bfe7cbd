// Whether an execution graph hangs together: every link has its counterpart, and every set says what the links say. It
// costs a look at the whole graph, so it is for builds that check everything; it throws BrokenContract.
#pragma once

#include "graph/graph.hpp"
#include "graph/split_graph.hpp"
#include "vm/contract.hpp"

namespace fencepost {

namespace detail {

// What holds of every graph: numbers, stamps, coherence and who reads from whom.
template <class G> void validate_events(const G& g) {
  FP_REQUIRE(g.order.size() == g.used.count(), "each event should be in the order once");
  const Id* before = nullptr;
  for (const Id& e : g.order) {
    FP_REQUIRE(e >= 0 && static_cast<std::size_t>(e) < g.event.size(), "an event should have a number below the size");
    FP_REQUIRE(g.used.test(g.bit(e)), "the number of an event should be in use");
    FP_REQUIRE(g[e].stamp < g.stamps, "a stamp should have been given out");
    FP_REQUIRE(!before || g[*before].stamp < g[e].stamp, "stamps should increase along the order");
    FP_REQUIRE(g[e].thread < g.thread.size(), "the thread of an event should exist");
    FP_REQUIRE(g[e].location == no_location || g[e].location < g.location.size(), "a location should be known");
    FP_REQUIRE(g[e].at != nullptr, "an event should know the state that it came from");
    before = &e;
  }
}

template <class G> void validate_coherence(const G& g) {
  for (Location l = 0; l < g.location.size(); ++l) {
    const auto& here = g.location[l];
    FP_REQUIRE((here.first == none) == (here.last == none), "coherence should have both ends or none");
    unsigned count = 0;
    Id before = initial;
    for (Id w = here.first; w != none; before = w, w = g[w].co_after, ++count) {
      FP_REQUIRE(count < g.event.size(), "coherence should not go round");
      FP_REQUIRE(g.used.test(g.bit(w)) && g[w].is_write(), "coherence should hold writes that are there");
      FP_REQUIRE(g[w].location == l, "coherence should order the writes of one location");
      FP_REQUIRE(g[w].co_before == before, "neighbours in coherence should know one another");
      FP_REQUIRE(here.writes.test(g.bit(w)), "the writes of a location should be those in coherence");
    }
    FP_REQUIRE((here.last == none ? initial : here.last) == before, "coherence should end with its last write");
    FP_REQUIRE(count == here.writes.count(), "coherence should be a permutation of the writes");
    FP_REQUIRE(!(here.reads - g.used).any(), "the reads of a location should be there");
    FP_REQUIRE(!(here.initial_readers - here.reads).any(), "who reads the initial value should read the location");
  }
}

template <class G> void validate_source(const G& g, Id r) {
  const auto& v = g[r];
  if (v.reads_from == none) return;
  FP_REQUIRE(v.reads_from == initial || g.used.test(g.bit(v.reads_from)), "what a read reads from should be there");
  FP_REQUIRE(v.reads_from == initial || g[v.reads_from].is_write(), "a read should read from a write");
  FP_REQUIRE(v.reads_from == initial || g[v.reads_from].location == v.location,
             "a read should read from its own location");
  FP_REQUIRE(g.readers_of(v.reads_from, v.location).test(g.bit(r)), "a write should know its readers");
}

} // namespace detail

// pre: no choice is half made.
template <unsigned W> void validate(const Graph<W>& g) {
  detail::validate_events(g);
  detail::validate_coherence(g);
  for (const Id e : g.order) {
    const Event& v = g[e];
    const auto& th = g.thread[v.thread];
    if (v.waiting) {
      FP_REQUIRE(!th.events.test(g.bit(e)), "a marker should stand in the order and nowhere else");
      FP_REQUIRE(!g.location[v.location].reads.test(g.bit(e)), "a marker should be no read to others");
      FP_REQUIRE(!g.readers_of(v.reads_from, v.location).test(g.bit(e)), "a marker should read from nobody");
      continue;
    }
    FP_REQUIRE(th.events.test(g.bit(e)), "a thread should know its events");
    FP_REQUIRE(v.po_before == none ? v.index == 0 : g[v.po_before].index + 1 == v.index,
               "indices should follow program order");
    FP_REQUIRE(v.po_before == none || g[v.po_before].po_after == e, "neighbours in a thread should know one another");
    FP_REQUIRE(v.po_after != none || th.last == e, "what nothing follows should be the last of its thread");
    FP_REQUIRE(!g.prefix_of(e).test(g.bit(e)), "no event should come before itself");
    FP_REQUIRE(v.po_before == none || g.prefix_of(e).test(g.bit(v.po_before)),
               "a prefix should hold what is po-before");
    FP_REQUIRE(!(g.prefix_of(e) - g.used).any(), "a prefix should be there");
    if (v.is_read()) detail::validate_source(g, e);
    if (v.is_read() && v.reads_from >= 0)
      FP_REQUIRE(g.prefix_of(e).test(g.bit(v.reads_from)), "a prefix should hold what is read from");
  }
  for (const auto& th : g.thread) {
    FP_REQUIRE(th.last == none || g.used.test(g.bit(th.last)), "the last event of a thread should be there");
    FP_REQUIRE(th.waits == none || g.used.test(g.bit(th.waits)), "what a thread waits by should be there");
    FP_REQUIRE(th.waits == none || g[th.waits].is_read(), "a thread should wait by a read");
    FP_REQUIRE(!(th.events - g.used).any(), "the events of a thread should be there");
  }
}

// The same for graphs whose events come out of program order.
template <unsigned W> void validate(const SplitGraph<W>& g) {
  detail::validate_events(g);
  detail::validate_coherence(g);
  for (const Id e : g.order) {
    const SplitEvent& v = g[e];
    const auto& slots = g.thread[v.thread].slot;
    FP_REQUIRE(v.slot < slots.size(), "an event should have a slot in its thread");
    FP_REQUIRE(!g.prefix_of(e).test(g.bit(e)), "no event should come before itself");
    FP_REQUIRE(!(g.prefix_of(e) - g.used).any(), "a prefix should be there");
    if (v.half == Half::Commit) {
      FP_REQUIRE(v.write != none && g.used.test(g.bit(v.write)), "a commit should have its write");
      FP_REQUIRE(g[v.write].commit == e, "a write should know its commit");
      continue;
    }
    FP_REQUIRE(slots[v.slot] == e || (slots[v.slot] != none && g[slots[v.slot]].outcome == e),
               "a thread should have its events in their slots");
    if (v.is_read()) detail::validate_source(g, e);
    FP_REQUIRE(!v.is_write() || (v.co_before == none) == (!g.location[v.location].writes.test(g.bit(e))),
               "a write should be in coherence where it has a place");
    FP_REQUIRE(!v.is_write() || v.co_before == none || v.commit != none, "a write in coherence should be committed");
    FP_REQUIRE(v.pair == none || (g.used.test(g.bit(v.pair)) && g[v.pair].is_read()), "a pair should have a read");
    FP_REQUIRE(v.pair == none || g[v.pair].thread == v.thread, "a pair should be of one thread");
  }
}

} // namespace fencepost
