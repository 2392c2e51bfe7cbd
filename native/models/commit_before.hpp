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

// Whether e, po-before f, must be committed before f whatever the dependencies say.
inline bool committed_before(const CommittedEvent& e, const CommittedEvent& f) {
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
  if (e.location == f.location || (reads(e) && acquires(e.mode)) || (writes(f) && releases(f.mode))) return true;
  return writes(e) && releases(e.mode) && reads(f) && acquires(f.mode) && f.mode != Mode::AcqPc;
}

} // namespace detail

// Fills in what comes before e in its thread, and its prefix. pre: everything po-before e is there.
template <unsigned W> void compute_before(CommitGraph<W>& g, Id e, DependencyTable& dependencies) {
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
  need(a.compared_deps);
  for (std::uint32_t k = 0; k < f.slot; ++k) {
    const Id d = g.at_slot(f.thread, k);
    if (d == none) continue;
    need(g[d].action().address_deps);
    if (detail::committed_before(g[d], f)) needs.set(g.bit(d));
  }
  // Whatever comes after the read of a read-modify-write comes after its write.
  Bits<W> halves;
  needs.each([&](unsigned n) {
    const CommittedEvent& read = g.event[n];
    const Id half = g.at_slot(read.thread, read.slot + 1);
    if (half == none || half == e) return;
    if ((read.is_read() && read.failed_cas) || (g[half].pair != none && !g[half].optional)) halves.set(g.bit(half));
  });
  needs |= halves;
  const Id spawn = g.thread[f.thread].spawned_by;
  if (spawn != none) needs.set(g.bit(spawn));
  if (f.kind == ActionKind::Join) needs |= g.thread[f.action().value].events;
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

} // namespace fencepost
