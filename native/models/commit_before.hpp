// What must be committed before an event: the definition, and why it is valid and enough, is in reference/trust_cb.py.
#pragma once

#include "graph/commit_graph.hpp"
#include "vm/dependencies.hpp"

namespace fencepost {

namespace detail {

enum : unsigned { RR = 1, RW = 2, WR = 4, WW = 8 };

// The pairs of accesses that a fence orders.
inline unsigned fence_pairs(FenceKind kind) {
  switch (kind) {
  case FenceKind::Acq:
  case FenceKind::Lfence:
  case FenceKind::DmbLd:
  case FenceKind::DsbLd:
  case FenceKind::FenceRRW:
    return RR | RW;
  case FenceKind::Rel:
  case FenceKind::FenceRWW:
    return RW | WW;
  case FenceKind::AcqRel:
  case FenceKind::Lwsync:
  case FenceKind::FenceTso:
    return RR | RW | WW;
  case FenceKind::Sc:
  case FenceKind::Sync:
  case FenceKind::Mfence:
  case FenceKind::DmbSy:
  case FenceKind::DsbSy:
  case FenceKind::FenceRWRW:
    return RR | RW | WR | WW;
  case FenceKind::Eieio:
  case FenceKind::Sfence:
  case FenceKind::DmbSt:
  case FenceKind::DsbSt:
  case FenceKind::FenceWW:
    return WW;
  case FenceKind::FenceRR:
    return RR;
  case FenceKind::FenceRW:
    return RW;
  case FenceKind::FenceWR:
    return WR;
  case FenceKind::FenceWRW:
    return WR | WW;
  case FenceKind::FenceRWR:
    return RR | WR;
  default:
    return 0;
  }
}

inline bool instruction_barrier(FenceKind kind) {
  return kind == FenceKind::Isync || kind == FenceKind::Isb || kind == FenceKind::FenceI;
}

inline bool system_event(const CommittedEvent& e) {
  return e.kind == ActionKind::Spawn || e.kind == ActionKind::Join || e.kind == ActionKind::Free;
}

inline bool reads(const CommittedEvent& e) { return e.is_read(); }
inline bool writes(const CommittedEvent& e) { return e.is_write() || e.hidden; }

// Accesses of read-modify-writes and exclusives.
inline bool atomic(const CommittedEvent& e) {
  const Action& a = e.action();
  return a.rmw || a.conditional >= 0 || a.part == Part::Exclusive || updates(a.part);
}

// Whether read e acquires if it is a compare-exchange that may come out either way: in some way, in every way.
inline bool acquires_somehow(const Action& a) { return acquires(a.mode) || acquires(a.failure); }
inline bool acquires_anyhow(const Action& a) { return acquires(a.mode) && acquires(a.failure); }

// Whether e, po-before f, must be committed before f whatever the dependencies say. `both_halves`: see needs_of.
inline bool committed_before(const CommittedEvent& e, bool e_acquires, const CommittedEvent& f, bool f_acquires,
                             bool both_halves) {
  if (system_event(e) || system_event(f) || (e.kind == ActionKind::Choose && !e.hidden)) return true;
  if (e.is_fence() && instruction_barrier(e.action().fence)) return true;
  if (f.is_fence()) {
    const unsigned pairs = fence_pairs(f.action().fence);
    return (reads(e) && (pairs & (RR | RW))) || (writes(e) && (pairs & (WR | WW)));
  }
  if (e.is_fence()) {
    const unsigned pairs = fence_pairs(e.action().fence);
    return (reads(f) && (pairs & (RR | WR))) || (writes(f) && (pairs & (RW | WW)));
  }
  if (!(reads(e) || writes(e)) || !(reads(f) || writes(f))) return false;
  if (e.location == f.location || (reads(e) && e_acquires) || (writes(f) && releases(f.mode))) return true;
  if (both_halves && !(atomic(e) && atomic(f))) return false; // RISC-V's loads and stores are RCpc
  return writes(e) && releases(e.mode) && reads(f) && f_acquires && f.mode != Mode::AcqPc;
}

} // namespace detail

// Whether e is a read that might see a write of another thread, be it of a compare-exchange that failed here.
template <unsigned W> bool written_elsewhere(const CommitGraph<W>& g, Id e) {
  if (!g[e].is_read()) return false;
  const auto& at = g.location[g[e].location];
  return at.writes.some([&](unsigned w) { return g.event[w].thread != g[e].thread; }) || at.reads.some([&](unsigned r) {
    return g.event[r].thread != g[e].thread && g.event[r].action().part == Part::Cas;
  });
}

// Whether e is a compare-exchange, or the write of one, that came out one way here and may come out the other way
// elsewhere.
template <unsigned W> bool may_differ(const CommitGraph<W>& g, Id e) {
  const CommittedEvent& v = g[e];
  const Id read = v.is_read() ? e : v.hidden && v.slot > 0 ? g.at_slot(v.thread, v.slot - 1) : v.pair;
  if (read == none || g[read].action().part != Part::Cas) return false;
  return g[read].failed_cas || written_elsewhere(g, read);
}

// What comes before e in its thread. pre: everything po-before e is there.
// `both_halves`: the modes of a read-modify-write hold for its read and its write (RISC-V): the read of one that
// releases comes after all accesses before it, the write of one that acquires before all after it.
// `surely`: only what is needed however compare-exchanges come out, for judging whether anything waits in vain. Else
// all that is needed somehow: a revisit may change how one comes out, and must not change what is after it.
template <unsigned W>
Bits<W> needs_of(const CommitGraph<W>& g, Id e, DependencyTable& dependencies, bool in_order, bool both_halves,
                 bool surely = false) {
  const CommittedEvent& f = g[e];
  Bits<W> needs;
  const auto need = [&](DepSet deps) {
    for (const std::uint32_t d : dependencies.elements(deps))
      if (const Id source = g.at_slot(f.thread, d & ~success_dependency); source != none) needs.set(g.bit(source));
  };
  const Action& a = f.action();
  need(a.address_deps);
  need(a.data_deps);
  need(a.control_deps);
  if (!surely) need(a.compared_deps); // which we must know, while the model may go ahead
  const bool either_way = surely && may_differ(g, e);
  const bool f_acquires = either_way ? detail::acquires_anyhow(a) : acquires(f.mode);
  // Whether a compare-exchange fails, and releases nothing, is not known when it is added.
  const bool read_releases = both_halves && f.is_read() && !f.failed_cas && !either_way && releases(a.mode);
  for (std::uint32_t k = 0; k < f.slot; ++k) {
    const Id d = g.at_slot(f.thread, k);
    if (d == none) continue;
    const Action& earlier = g[d].action();
    need(earlier.address_deps);
    const bool differs = surely && may_differ(g, d);
    if (differs && !g[d].is_read()) continue; // a write that need not happen
    const bool d_acquires = earlier.part != Part::Cas || (surely && !differs) ? acquires(g[d].mode)
                            : surely                                          ? detail::acquires_anyhow(earlier)
                                                                              : detail::acquires_somehow(earlier);
    const bool access = detail::reads(g[d]) || detail::writes(g[d]);
    const bool write_acquires = both_halves && detail::writes(g[d]) && acquires(g[d].mode);
    if (in_order || detail::committed_before(g[d], d_acquires, f, f_acquires, both_halves) ||
        (read_releases && access) || write_acquires)
      needs.set(g.bit(d));
  }
  // Whatever comes after the read of a read-modify-write comes after its write.
  Bits<W> halves;
  needs.each([&](unsigned n) {
    const CommittedEvent& read = g.event[n];
    const Id half = g.at_slot(read.thread, read.slot + 1);
    if (half == none || half == e) return;
    if (surely && may_differ(g, static_cast<Id>(n))) return;
    if ((read.is_read() && read.failed_cas) || (g[half].pair != none && !g[half].optional)) halves.set(g.bit(half));
  });
  return needs | halves;
}

// Fills in what comes before e. `in_order`: all that is po-before it does, so that commit-before is (po ∪ rf)+.
template <unsigned W>
void compute_before(CommitGraph<W>& g, Id e, DependencyTable& dependencies, bool in_order, bool both_halves) {
  Bits<W> needs = needs_of(g, e, dependencies, in_order, both_halves);
  const Id spawn = g.thread[g[e].thread].spawned_by;
  if (spawn != none) needs.set(g.bit(spawn));
  if (g[e].kind == ActionKind::Join) needs |= g.thread[g[e].action().value].events;
  g.before[static_cast<std::size_t>(e)] = needs;
}

template <unsigned W> void compute_commit_prefix(CommitGraph<W>& g, Id e) {
  Bits<W> set = g.before[static_cast<std::size_t>(e)];
  g.before[static_cast<std::size_t>(e)].each([&](unsigned d) { set |= g.prefix[d]; });
  const Id w = g[e].reads_from;
  if (w >= 0) {
    set |= g.prefix[static_cast<std::size_t>(w)];
    set.set(g.bit(w));
  }
  g.prefix[static_cast<std::size_t>(e)] = set;
}

// Whether the write of a read-modify-write needs something in its thread that its read does not need.
template <unsigned W> bool late_operand(const CommitGraph<W>& g, Id write) {
  const Id read = g[write].pair;
  Bits<W> found, todo;
  found.set(g.bit(read));
  todo = g.before[static_cast<std::size_t>(read)];
  while (todo.any()) {
    found |= todo;
    Bits<W> next;
    todo.each([&](unsigned d) { next |= g.before[d]; });
    todo = next - found;
  }
  return (g.before[static_cast<std::size_t>(write)] - found).any();
}

// Whether the write of e's thread that read e sees is kept before e by modes or a fence.
template <unsigned W> bool forwarding_ordered(const CommitGraph<W>& g, Id write, Id read) {
  const CommittedEvent &w = g[write], &r = g[read];
  if (acquires(r.mode) && (w.pair != none || (releases(w.mode) && r.mode != Mode::AcqPc))) return true;
  for (std::uint32_t k = w.slot + 1; k < r.slot; ++k) {
    const Id e = g.at_slot(w.thread, k);
    if (e == none) continue;
    if (detail::system_event(g[e]) || (g[e].is_fence() && (detail::fence_pairs(g[e].action().fence) & detail::WR)))
      return true;
  }
  return false;
}

// Whether r sees a write of its own thread that nothing but coherence keeps before it.
template <unsigned W> bool forwarded(const CommitGraph<W>& g, Id read) {
  const CommittedEvent& r = g[read];
  const Id w = r.is_read() ? r.reads_from : none;
  return w >= 0 && g[w].thread == r.thread && g[w].slot < r.slot && !forwarding_ordered(g, w, read);
}

// Commit-before may be stronger than a model that forwards: r; W x; R x; dependent W. There the read of x may see the
// write of x long before r is done, while po-loc, or the release of the write, makes the write, and so the read, wait
// for r. True where the graph holds such a chain; executions in which it matters are missed.
template <unsigned W> bool waits_too_long(const CommitGraph<W>& g, Id read) {
  const CommittedEvent& r = g[read];
  if (!forwarded(g, read)) return false;
  const Id write = r.reads_from;
  bool held = false, feeds = false;
  for (const Id m : g.thread[r.thread].slot) {
    if (m == none) continue;
    if (g[m].slot < g[write].slot && (g[m].location == r.location || releases(g[write].mode)))
      held |= g[m].is_read() ||
              g.before[static_cast<std::size_t>(m)].some([&](unsigned d) { return g.event[d].is_read(); });
    if (g[m].slot > r.slot && g[m].is_write()) feeds |= g.prefix[static_cast<std::size_t>(m)].test(g.bit(read));
  }
  return held && feeds;
}

// Whether another thread sees write e.
template <unsigned W> bool seen_elsewhere(const CommitGraph<W>& g, Id e) {
  if (!g[e].is_write()) return false;
  return g.readers_of(e, g[e].location).some([&](unsigned r) { return g.event[r].thread != g[e].thread; });
}

// The same question for models whose global order holds coherence with other threads' writes (ARMv8, RISC-V), without
// false alarms from dependencies: whether some write of the thread waits, by commit-before, for a read that the model
// lets come after it.
//
// A cycle of commit-before enters a thread by rf into a read d and leaves it by rf from a write f, so it is enough that
// for each such pair the source s of d is before f in the model. Each step of commit-before is one of the model, except
//   d → W x, d reads x from s      there s is coherence-before W x
//   W x → W x                      whatever the model orders before the first it orders before the second
//   R x → R x, W x → R x           where the later one reads from another thread: by coherence and rf, as above
//   W x → R x by forwarding        nothing orders the two. The addresses and data of W x are known before R x; that is
//                                  all of it that counts (dob of ARMv8, rule 12 of RISC-V).
//
// The execution that is missed is not there to be looked at, but one that differs from it in what d reads (and in what
// depends on that) is: d, which no step of the model puts before f, can see an older write instead of s. Whatever the
// model puts before s is the same in both, with s itself, the write f, and the read of another thread that sees f and
// begins the way from f to s. So it is enough to look for d and f where other threads do write the location of d and
// read f. Compare-exchanges that may come out otherwise there count with neither their write nor their modes.
template <unsigned W>
bool waits_in_vain(const CommitGraph<W>& g, std::uint32_t t, DependencyTable& dependencies, bool both_halves) {
  std::vector<Bits<W>> waits(g.event.size()), ordered(g.event.size());
  const auto follow = [&g](std::vector<Bits<W>>& rows, Id e, Id d) {
    rows[static_cast<std::size_t>(e)] |= rows[static_cast<std::size_t>(d)];
    rows[static_cast<std::size_t>(e)].set(g.bit(d));
  };
  bool differs = false; // not all that commit-before asks for is sure, so far
  for (const Id e : g.thread[t].slot) {
    if (e == none) continue;
    differs = differs || may_differ(g, e) || g[e].action().compared_deps != 0;
    const bool early = forwarded(g, e);
    const Bits<W> before = g.before[static_cast<std::size_t>(e)] & g.thread[t].events;
    const Bits<W> needed = differs ? before & needs_of(g, e, dependencies, false, both_halves, true) : before;
    before.each([&](unsigned n) {
      const Id d = static_cast<Id>(n);
      follow(waits, e, d);
      if (needed.test(n) && (!early || g[d].location != g[e].location)) follow(ordered, e, d);
    });
    if (early && !may_differ(g, g[e].reads_from)) {
      const Action& a = g[g[e].reads_from].action();
      for (const DepSet deps : {a.address_deps, a.data_deps})
        for (const std::uint32_t n : dependencies.elements(deps))
          if (const Id d = g.at_slot(t, n & ~success_dependency); d != none) follow(ordered, e, d);
    }
    // What a compare-exchange compares with decides what there is to be seen.
    if (!seen_elsewhere(g, e) && (!g[e].is_read() || g[e].action().compared_deps == 0)) continue;
    const Bits<W> in_vain = waits[static_cast<std::size_t>(e)] - ordered[static_cast<std::size_t>(e)];
    if (in_vain.some([&](unsigned d) { return written_elsewhere(g, static_cast<Id>(d)); })) return true;
  }
  return false;
}

// Whether compare-exchange e waits for more than a model need ask for, so that executions may be missed: for what it
// compares with, though it may read before, or by the modes of an outcome that it need not have, or, where a fence
// keeps writes but not reads, by the write that it need not make.
template <unsigned W> bool waits_to_compare(const CommitGraph<W>& g, Id e, DependencyTable& dependencies) {
  const Action& a = g[e].action();
  if (!g[e].is_read() || a.part != Part::Cas) return false;
  bool differently = acquires(a.mode) != acquires(a.failure) || releases(a.mode);
  for (const Id f : g.thread[g[e].thread].slot) {
    const unsigned pairs = f != none && g[f].is_fence() ? detail::fence_pairs(g[f].action().fence) : 0;
    const bool writes_only = (pairs & detail::WW) && !(pairs & detail::RW);
    differently |= writes_only || ((pairs & detail::WR) && !(pairs & detail::RR));
  }
  if (differently && may_differ(g, e)) return true;
  for (const std::uint32_t n : dependencies.elements(a.compared_deps))
    if (const Id d = g.at_slot(g[e].thread, n & ~success_dependency);
        d != none && g[d].location != g[e].location && written_elsewhere(g, d))
      return true;
  return false;
}

// Whether something waits for the success of a store-conditional, which is a dependency to us but not to the model.
template <unsigned W> bool waits_for_success(const CommitGraph<W>& g, Id e, DependencyTable& dependencies) {
  const auto has = [&](DepSet deps) {
    for (const std::uint32_t d : dependencies.elements(deps))
      if (d & success_dependency) return true;
    return false;
  };
  const Action& a = g[e].action();
  return seen_elsewhere(g, e) && (has(a.address_deps) || has(a.data_deps) || has(a.control_deps));
}

} // namespace fencepost
