// Which pairs of accesses a fence orders.
#pragma once

#include "vm/bytecode.hpp"

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

} // namespace detail

} // namespace fencepost
