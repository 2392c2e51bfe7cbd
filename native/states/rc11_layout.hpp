// Where the monitor of RC11 keeps what. A *view* is two rows: the old values of all locations that may still be read,
// and those behind which a write still fits. A *pair* is one view or two, one for SC fences ("e") and one for SC
// accesses ("b"), whichever the program has. A *record* is what travels along happens-before:
//     cur [curW] [F E] [H L[z]...] [races]
// Parts that only SC fences need, or only SC accesses, are there only where the program has such.
#pragma once

#include <cstdint>
#include <vector>

namespace fencepost::states {

struct Rc11Layout {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t fences = 0; // a bit per FenceKind: Acq, Rel, AcqRel, Sc
  bool cpp20 = false;       // release sequences without the releasing thread's own later writes
  bool sc_fences = false, sc_accesses = false, acquire_fences = false, release_fences = false;

  std::uint32_t view = 0, pair = 0, record = 0;                                     // in words
  std::uint32_t cur_w = none, f = none, e = none, h = none, l = none, races = none; // inside a record; cur is first
  std::uint32_t seq_cst = 0, resumed = 0;           // how many locations have an index of that kind
  std::vector<std::int32_t> seq_cst_of, resumed_of; // by monitored index; -1: none
  // In the rows of a thread: records cur, acq, rel_f, rel_x[...]; pairs pb[z], hm[z].
  std::uint32_t cur = 0, acq = none, rel_f = none, rel_x = none, pb = none, hm = none;
  // In the rows of a location: the record msg; pairs x and y (WS+RO, and with RC), asc.
  std::uint32_t msg = 0, x = none, y = none, asc = none;

  static Rc11Layout of(std::uint32_t fences, bool cpp20) {
    Rc11Layout r;
    r.fences = fences;
    r.cpp20 = cpp20;
    r.sc_fences = fences >> 3 & 1;
    r.acquire_fences = (fences & 0b1101) != 0;
    r.release_fences = (fences & 0b1110) != 0;
    return r;
  }
};

} // namespace fencepost::states
