// ARMv8's model (models/armv8.cat), tuned: what its file says about a thread is found once for each event, from those
// before it; what threads see of one another is looked up while a cycle is searched for.
#pragma once

#include "models/cycle_search.hpp"
#include "models/judged_graph.hpp"

namespace fencepost {

template <unsigned W> class Armv8Judge {
public:
  using G = SplitGraph<W>;
  using Set = Bits<W>;

  explicit Armv8Judge(const DependencyTable& dependencies) : graph_(dependencies) {}

  bool consistent(const G& g) { return fits(g) && ordered(g, nodes_); }
  // pre: the graph was consistent without `last`, and what is new in the order begins or ends there.
  bool still_consistent(const G& g, Id last) {
    Set only;
    only.set(g.bit(last));
    return fits(g) && ordered(g, only & nodes_);
  }
  void forget() { graph_.forget(); }

private:
  bool fits(const G& g) {
    graph_.look(g);
    if (graph_.changed) find_rows(g);
    return graph_.coherent(g) && graph_.undivided(g, true);
  }

  // What the file calls local, speculated and the like, by event: what comes before it.
  struct Rows {
    Set local;           // local, closed, and without starting and joining threads
    Set speculated;      // some-dependency ; local
    Set feeds;           // feeds+
    Set some_dependency; // what an event surely depends on, picks included
    Set full;            // full-addr | full-data
    Set reads;           // reads of the location before it
    Id in_memory = none; // a read: the last write before it to its location
  };
  // What is known after a slot of a thread.
  struct After {
    Set all;       // accesses
    Set addresses; // some-addr of those
    Set fetched;   // what instruction barriers wait for
  };

  Rows& rows(Id e) { return rows_[static_cast<std::size_t>(e)]; }

  static bool is_acquire(const Seen& one) { return one.is_read() && acquires(one.mode) && one.mode != Mode::AcqPc; }
  static bool is_release(const Seen& one) { return one.is_write() && releases(one.mode); }
  static bool is_full(FenceKind kind) {
    const auto mode = c11_fence(kind);
    return mode && *mode != Mode::Acq;
  }
  static bool orders_loads(FenceKind kind) { return c11_fence(kind) == Mode::Acq; }

  void find_rows(const G& g) {
    rows_.resize(g.event.size());
    after_.resize(graph_.lines.size());
    nodes_.clear();
    for (std::size_t t = 0; t < graph_.lines.size(); ++t) {
      const Line& line = graph_.lines[t];
      after_[t].resize(line.slot.size());
      for (std::size_t k = line.same; k < line.slot.size(); ++k)
        find_row(g, t, k);
      if (!line.slot.empty()) nodes_ |= after_[t].back().all;
    }
  }

  void find_row(const G& g, std::size_t t, std::size_t k) {
    const Seen& one = graph_.lines[t].slot[k];
    After& after = after_[t][k];
    if (k == 0)
      after = {};
    else
      after = after_[t][k - 1];
    if (one.event == none) return;
    Direct d = depends(g, one);
    if (!one.is_access()) {
      const bool barrier = one.kind == ActionKind::Fence && one.action().fence == FenceKind::Isb;
      if (barrier) after.fetched |= d.some_control | after.addresses;
      after.addresses |= d.some_address;
      return;
    }
    Rows& r = rows(one.event);
    look_back(g, t, k, one, d);
    Set some_dependency = r.feeds | d.some_control;
    if (one.is_write() && one.pair != none) some_dependency.reset(g.bit(one.pair));
    r.some_dependency = some_dependency;
    if (one.is_write()) {
      d.before |= d.some_address | after.addresses | d.some_data | d.some_control;
      if (one.pair != none) d.before.set(g.bit(one.pair));
    }
    d.before |= after.fetched;
    close(t, k, d.before, r);
    after.all.set(g.bit(one.event));
    after.addresses |= d.some_address;
  }

  // What one event depends on, and what comes before it in the order.
  struct Direct {
    Set before, some_address, some_data, some_control;
  };

  Direct depends(const G& g, const Seen& one) {
    Direct d;
    Set full, address, into_write, control, compared;
    graph_.dependencies_of(g, one, [&](Id source, int which, bool pick) {
      (which == 0 ? address : which == 1 ? into_write : control).set(g.bit(source));
      if (which != 2 && !pick) full.set(g.bit(source));
      if (which == 2 && pick) compared.set(g.bit(source));
    });
    if (one.is_write() && one.pair != none && one.action().rmw) { // what decided that a compare-exchange writes
      const auto& of_read = graph_.lines[g[one.pair].thread].slot[g[one.pair].slot];
      if (of_read.event == one.pair)
        graph_.dependencies_of(g, of_read, [&](Id source, int which, bool) {
          if (which == 2) compared.reset(g.bit(source));
        });
      into_write |= compared;
    }
    d.some_address = with_feeds(address);
    d.some_data = with_feeds(into_write);
    d.some_control = with_feeds(control);
    if (!one.is_access()) return d;
    Rows& r = rows(one.event);
    r.full = full;
    r.feeds = d.some_address | d.some_data;
    d.before = full | d.some_data;
    return d;
  }

  // feeds* ; of
  Set with_feeds(const Set& of) {
    Set all = of;
    of.each([&](unsigned e) { all |= rows_[e].feeds; });
    return all;
  }

  // Barriers, modes and the location of an access, going back from it.
  void look_back(const G& g, std::size_t t, std::size_t k, const Seen& one, Direct& d) {
    const auto& slots = graph_.lines[t].slot;
    Rows& r = rows(one.event);
    r.reads.clear();
    r.in_memory = none;
    const bool release = is_release(one), acquire = is_acquire(one);
    bool all = release, loads = false, stores = false, any_after_stores = false;
    for (std::size_t j = k; j-- > 0;) {
      const Seen& e = slots[j];
      if (e.event == none) continue;
      if (e.kind == ActionKind::Fence) {
        const FenceKind kind = e.action().fence;
        all |= is_full(kind);
        loads |= orders_loads(kind);
        stores |= kind == FenceKind::DmbSt;
        any_after_stores |= kind == FenceKind::DsbSt;
        continue;
      }
      if (!e.is_access()) continue;
      const bool here = e.location == one.location;
      if (all ||
          (e.is_read() ? acquires(e.mode) || (loads && !e.action().noreturn)
                       : (stores && one.is_write()) || any_after_stores || (acquire && is_release(e)) ||
                             acquires_and_releases(g, e)) ||
          (here && one.is_write()))
        d.before.set(g.bit(e.event));
      if (!here) continue;
      if (e.is_read()) r.reads.set(g.bit(e.event));
      if (e.is_write() && one.is_read() && r.in_memory == none) r.in_memory = e.event;
    }
    if (r.in_memory == none) return;
    const Rows& memory = rows(r.in_memory);
    d.before |= memory.full;
    r.feeds |= memory.feeds;
    const Id pair = g[r.in_memory].pair;
    if (pair != none && acquires(one.mode)) d.before.set(g.bit(pair));
  }

  // The write of an atomic update whose read acquires.
  static bool acquires_and_releases(const G& g, const Seen& w) {
    if (!w.is_write() || w.pair == none || !w.action().rmw || !releases(w.mode)) return false;
    const Mode read = g[w.pair].mode;
    return acquires(read) && read != Mode::AcqPc;
  }

  // Closes what comes before an event; rows of what comes before are closed.
  void close(std::size_t t, std::size_t k, const Set& before, Rows& r) {
    r.local = before;
    r.speculated.clear();
    Set left = before;
    const auto& slots = graph_.lines[t].slot;
    for (std::size_t j = k; j-- > 0 && left.any();) { // the last first: what comes before it is done with it
      const Id e = slots[j].event;
      if (e == none || !slots[j].is_access() || !left.test(static_cast<unsigned>(e))) continue;
      const Rows& of = rows(e);
      r.local |= of.local;
      r.speculated |= of.speculated | of.some_dependency;
      left -= of.local;
      left.reset(static_cast<unsigned>(e));
    }
  }

  // --- between threads

  Set before(const G& g, Id e) {
    const SplitEvent& v = g[e];
    Set found = rows(e).local;
    if (graph_.has_threads) found |= graph_.by_threads(v.thread, v.slot);
    if (v.is_read()) {
      if (v.reads_from >= 0 && g[v.reads_from].thread != v.thread) found.set(g.bit(v.reads_from));
      return found;
    }
    found |= rows(e).speculated;
    if (v.co_before == none) return found;
    if (v.co_before >= 0) found.set(g.bit(v.co_before));
    const Set readers = g.readers_of(v.co_before, v.location) & nodes_;
    found |= readers;
    readers.each([&](unsigned r) { found |= rows_[r].reads; });
    return found;
  }

  // Whether ob has no cycle that some of these events come after. pre: coherence holds, so internal fr and co are in
  // the order of a thread.
  bool ordered(const G& g, const Set& ends) {
    return search_.acyclic(nodes_, ends, [&](Id e) { return before(g, e); });
  }

  JudgedGraph<W> graph_;
  std::vector<Rows> rows_;                // by event
  std::vector<std::vector<After>> after_; // by thread and slot
  Set nodes_;
  CycleSearch<W> search_;
};

} // namespace fencepost
