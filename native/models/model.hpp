// The models that have hand-tuned checkers.
#pragma once

#include "vm/bytecode.hpp"

#include <optional>

namespace fencepost {

enum class Model : std::uint8_t { Sc, Tso, Pso, Ra, Rc11, Rc11Cpp20, Wrc11 };

// Models whose happens-before is smaller than (po ∪ rf)+.
inline bool own_happens_before(Model m) { return m == Model::Rc11 || m == Model::Rc11Cpp20 || m == Model::Wrc11; }

// Models without a coherence order: writes of a location are ordered only as far as hb and reads-from order them.
inline bool without_coherence(Model m) { return m == Model::Wrc11; }

// Models that order events globally, beyond coherence.
inline bool global_order(Model m) { return m == Model::Sc || m == Model::Tso || m == Model::Pso; }

// What a fence of any architecture means in C11; nothing where it means nothing there.
inline std::optional<Mode> c11_fence(FenceKind kind) {
  switch (kind) {
  case FenceKind::Acq:
  case FenceKind::DmbLd:
  case FenceKind::DsbLd:
  case FenceKind::FenceRRW:
    return Mode::Acq;
  case FenceKind::Rel:
  case FenceKind::FenceRWW:
    return Mode::Rel;
  case FenceKind::AcqRel:
  case FenceKind::Lwsync:
  case FenceKind::FenceTso:
    return Mode::AcqRel;
  case FenceKind::Sc:
  case FenceKind::Sync:
  case FenceKind::Mfence:
  case FenceKind::DmbSy:
  case FenceKind::DsbSy:
  case FenceKind::FenceRWRW:
    return Mode::Sc;
  default:
    return std::nullopt;
  }
}

// Whether a fence orders everything before it with everything after it.
inline bool full_fence(FenceKind kind) { return c11_fence(kind) == Mode::Sc; }

// Whether a fence orders the writes before it with the writes after it.
inline bool store_fence(FenceKind kind) {
  return full_fence(kind) || kind == FenceKind::Sfence || kind == FenceKind::DmbSt || kind == FenceKind::DsbSt ||
         kind == FenceKind::FenceWW || kind == FenceKind::Lwsync || kind == FenceKind::Eieio ||
         kind == FenceKind::FenceTso || kind == FenceKind::FenceRWW;
}

} // namespace fencepost
