// Looking twice (docs/how/waiting.md): a thread that waited for a value in a loop, then looked again and found the same
// value written anew could have waited for that one. The graph in which it did stands for this one, so the thread
// stops, others go on, and where nothing moves the graph is dropped.
//
// Whether a thread looked twice depends only on what is (po, rf)-before its last read, so it is as if the thread knew
// who wrote what it reads, and ended by an assume. That is why the search stays exact.
#pragma once

#include "explore/engine.hpp"

namespace fencepost {

// Whether the last event of a thread reads right after a loop that waited and saw another write of the same value. The
// wait may as well have seen what that one sees: nothing of its thread is in between, and where its order is not
// stronger nothing is ordered by that.
template <unsigned W> bool Engine<W>::looked_twice(const typename Graph<W>::Thread& th) const {
  const Graph<W>& g = graph();
  if (!leaves_out_ || th.last == none || g[th.last].po_before == none) return false;
  const Event &v = g[th.last], &u = g[v.po_before];
  if (!v.is_read() || !u.is_read() || u.location != v.location || u.value != v.value) return false;
  const Action& look = u.at->action;
  const bool waited = look.part == Part::Await && look.spin;
  const bool looked = look.part == Part::Load && !u.at->state.spins.empty();
  if (!(waited || looked) || u.mode == Mode::Na) return false;
  if (look.barrier || v.at->action.barrier || u.reads_from == v.reads_from) return false;
  return u.mode == v.mode || u.mode == Mode::Rlx || (u.mode == Mode::Acq && acquires(v.mode) && v.mode != Mode::AcqPc);
}

// Whether some thread did.
template <unsigned W> bool Engine<W>::stands_for_nothing() const {
  return leaves_out_ && std::any_of(graph().thread.begin(), graph().thread.end(),
                                    [&](const auto& th) { return th.now && looked_twice(th); });
}

} // namespace fencepost
