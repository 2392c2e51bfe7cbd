// Robustness against RC11: the monitor that decides, for every label, whether RC11 allows an older write as its
// predecessor.
//
// Model: rc11-axioms.cat, with the release sequences of C11 or of C++20. As for the other models (see monitor.hpp) a
// smallest graph that RC11 allows and SC does not ends in one event e behind an older write w of its location x, where
// x's last write reaches e's thread by hbSC. What differs is what forbids w:
//   coherence   a write of x later than w, or a reader of one, happens before e
//   atomicity   e writes and an RMW reads w
//   psc         e closes a cycle of psc. e has new edges only to writes later than w and their readers, so with S(n) =
//   all that psc-precedes an
//               SC node n: for any e, an SC fence that happens before e must not have such an access in its S; if e is
//               seq-cst, so for every SC access n that precedes e by sb, hb between accesses of one location, or
//               sb;hb;sb over other locations.
// All of this is closed downwards in w, so what remains allowed is a suffix of the order of writes, and meeting sets of
// values loses nothing.
//
// What a thread or a message carries (a record, joined along happens-before):
//   cur     what was read or written before               curW  what was written
//   F       join of S(f) over SC fences f before          E     join of S(n) over the nodes that the next SC fence will
//   follow H       S(n) of SC accesses n with n sb m over another location and m before L[z]    S(n) of SC accesses of
//   z before
// and besides: per thread `acq` (messages read without acquiring, until an acquire fence), `rel_f` (the record at the
// last release fence), `rel_x` (at the last releasing write of a location that it also writes otherwise), PB[z] (S of
// its own SC accesses of z), HM[z] (H at its last event on another location than z); per location the record that its
// last write releases, X and Y (F at its writes and at readers of older writes; Y: at all readers) and ASC (S of its SC
// accesses). S has two readings: an SC fence looks at all accesses ("e"), an SC access only at writes ("b"), since
// reading from is no edge of scb. Kept normal: E has what F and cur have, acq has what cur has. Both are only ever
// joined, so no answer changes, and more states are one.
//
// Not carried by memory: spawn and join are sb; they hand over cur, PB, HM, but neither acq nor rel_f nor rel_x, which
// need po. Accesses of locations that only one thread has, choices and the like are events without a location. Races
// are judged by happens-before: a bit per thread and location says that its last access is not known.
#pragma once

#include "states/monitor.hpp"

namespace fencepost::states {

class Rc11Monitor {
public:
  explicit Rc11Monitor(const Plan& plan) : p_(plan), r_(plan.rc11), shared_(plan) {}

  // What the step of a thread does to the monitor. `old` is the number of the value that was there before.
  void step(State& s, std::uint32_t thread, const LocalState& label, const Successor& to, std::uint32_t other,
            std::uint32_t old) const;
  bool diverges(const State& s, std::uint32_t thread, const LocalState& label) const;
  // The thread whose earlier access of the location races with this label; -1: none. pre: the label can happen now.
  std::int32_t races(const State& s, std::uint32_t thread, const LocalState& label, bool writes) const;
  // Threads without a future need no monitor. What else no later label can notice, Monitor::settle forgets.
  void forget(State& s, const LocalStates& locals, std::uint32_t static_threads) const;

private:
  using Word = std::uint64_t;
  Word* of_thread(State& s, std::uint32_t t, std::uint32_t offset) const {
    return s.rows.data() + std::size_t{t} * p_.thread_stride + offset;
  }
  const Word* of_thread(const State& s, std::uint32_t t, std::uint32_t offset) const {
    return s.rows.data() + std::size_t{t} * p_.thread_stride + offset;
  }
  Word* of_location(State& s, std::uint32_t x, std::uint32_t offset) const {
    return s.rows.data() + std::size_t{p_.threads} * p_.thread_stride + std::size_t{x} * p_.location_stride + offset;
  }
  const Word* of_location(const State& s, std::uint32_t x, std::uint32_t offset) const {
    return s.rows.data() + std::size_t{p_.threads} * p_.thread_stride + std::size_t{x} * p_.location_stride + offset;
  }
  Word* of_z(State& s, std::uint32_t t, std::uint32_t pairs, std::int32_t z) const {
    return of_thread(s, t, pairs + static_cast<std::uint32_t>(z) * r_.pair);
  }
  const Word* of_z(const State& s, std::uint32_t t, std::uint32_t pairs, std::int32_t z) const {
    return of_thread(s, t, pairs + static_cast<std::uint32_t>(z) * r_.pair);
  }

  void access(State& s, std::uint32_t t, std::uint32_t x, bool write, Mode mode) const;
  void release(State& s, std::uint32_t t, std::uint32_t x, Mode mode, bool update) const;
  void fence(State& s, std::uint32_t t, FenceKind kind) const;
  void event(State& s, std::uint32_t t) const;
  void spawn(State& s, std::uint32_t parent, std::uint32_t child) const;
  void join(State& s, std::uint32_t t, std::uint32_t child) const;
  void normalise(State& s, std::uint32_t t) const;
  void own(const State& s, std::uint32_t t, std::int32_t z, std::vector<Word>& all) const;
  void clear_at(Word* view, const Plan::Place& place) const;
  void nothing(const State& s, Word* record) const;
  void add_old(State& s, const Plan::Place& place, std::uint32_t old, bool update) const;
  void note_race(State& s, std::uint32_t t, const Plan::Place& place, bool write, bool non_atomic) const;
  template <class F> void views(State& s, F f) const;
  bool touches(const State& s, std::uint32_t t, std::uint32_t x, bool seq_cst, std::uint32_t rows,
               const std::vector<Word>& fatal) const;

  const Plan& p_;
  const Rc11Layout& r_;
  Monitor shared_; // hbSC
};

} // namespace fencepost::states
