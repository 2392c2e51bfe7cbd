#include "states/monitor.hpp"

#include "states/words.hpp"
#include "vm/contract.hpp"

#include <algorithm>

namespace fencepost::states {

void Monitor::read_sc(State& s, std::uint32_t t, std::uint32_t x) const {
  FP_ASSERT(t < p_.threads && x < p_.monitored, "who reads what should be in the plan");
  Word *vsc = thread_row(s, t, p_.vsc), *msc = location_row(s, x, p_.msc);
  meet(msc, vsc, p_.l_words);
  meet(vsc, location_row(s, x, p_.wsc), p_.l_words);
}

void Monitor::read(State& s, std::uint32_t t, std::uint32_t x) const {
  read_sc(s, t, x);
  const bool tso = p_.model == Against::Tso;
  if (!tso || s.writers[x] != t + 1) { // rf; under TSO only from another thread
    meet(thread_row(s, t, p_.vr), location_row(s, x, p_.w), p_.v_words);
    meet(thread_row(s, t, p_.vrx), location_row(s, x, p_.wx), p_.x_words);
    if (tso) {
      meet(thread_row(s, t, p_.vw), location_row(s, x, p_.w), p_.v_words);
      meet(thread_row(s, t, p_.vx), location_row(s, x, p_.wx), p_.x_words);
    }
  }
  if (tso) { // the next write of x follows this read (fr), with all that precedes it
    meet(location_row(s, x, p_.m), thread_row(s, t, p_.vr), p_.v_words);
    meet(location_row(s, x, p_.mx), thread_row(s, t, p_.vrx), p_.x_words);
  }
}

void Monitor::write(State& s, std::uint32_t t, std::uint32_t x, bool update, std::int32_t v, std::int32_t xb) const {
  FP_ASSERT(t < p_.threads && x < p_.monitored, "who writes what should be in the plan");
  FP_ASSERT(v < static_cast<std::int32_t>(p_.v_count), "an old value that is read should have its bit");
  FP_ASSERT(xb < static_cast<std::int32_t>(p_.x_count), "an old value that is updated should have its bit");
  write_sc(s, t, x);
  if (p_.model == Against::Tso)
    write_seen_tso(s, t, x, update);
  else
    write_seen(s, t, x, update);
  add_old(s, t, x, update, v, xb);
}

void Monitor::write_sc(State& s, std::uint32_t t, std::uint32_t x) const {
  Word *vsc = thread_row(s, t, p_.vsc), *msc = location_row(s, x, p_.msc);
  meet(vsc, msc, p_.l_words);
  std::copy(vsc, vsc + p_.l_words, msc);
  std::copy(vsc, vsc + p_.l_words, location_row(s, x, p_.wsc));
  if (x >= p_.judged) return; // nobody asks who is aware of it
  const std::uint32_t word = x / 64;
  const Word bit = Word{1} << (x % 64);
  for (std::uint32_t other = 0; other < p_.threads; ++other)
    if (other != t) thread_row(s, other, p_.vsc)[word] |= bit;
  for (std::uint32_t z = 0; z < p_.monitored; ++z)
    if (z != x) {
      location_row(s, z, p_.msc)[word] |= bit;
      location_row(s, z, p_.wsc)[word] |= bit;
    }
}

void Monitor::write_seen(State& s, std::uint32_t t, std::uint32_t x, bool update) const {
  Word *v = thread_row(s, t, p_.vr), *vx = thread_row(s, t, p_.vx);
  Word *w = location_row(s, x, p_.w), *wx = location_row(s, x, p_.wx);
  if (update) meet(v, w, p_.v_words);
  if (update || p_.model == Against::Sra) meet(vx, wx, p_.x_words);
  const Plan::Place& place = p_.places[p_.at[x]];
  clear(v, place.v_mask, p_.v_words);
  clear(vx, place.x_mask, p_.x_words);
  std::copy(v, v + p_.v_words, w);
  std::copy(vx, vx + p_.x_words, wx);
}

void Monitor::write_seen_tso(State& s, std::uint32_t t, std::uint32_t x, bool update) const {
  const Plan::Place& place = p_.places[p_.at[x]];
  Word *vw = thread_row(s, t, p_.vw), *vx = thread_row(s, t, p_.vx);
  meet(vw, location_row(s, x, p_.m), p_.v_words);
  meet(vx, location_row(s, x, p_.mx), p_.x_words);
  clear(vw, place.v_mask, p_.v_words);
  clear(vx, place.x_mask, p_.x_words);
  clear(thread_row(s, t, p_.own), place.v_mask, p_.v_words);
  for (const std::uint32_t row : {p_.w, p_.m})
    std::copy(vw, vw + p_.v_words, location_row(s, x, row));
  for (const std::uint32_t row : {p_.wx, p_.mx})
    std::copy(vx, vx + p_.x_words, location_row(s, x, row));
  FP_ASSERT(x < s.writers.size(), "a monitored location should have its writer");
  s.writers[x] = t + 1;
  if (update) fence(s, t);
}

// The overwritten value becomes an old one, still allowed for everyone who has not seen the new write.
void Monitor::add_old(State& s, std::uint32_t t, std::uint32_t x, bool update, std::int32_t v, std::int32_t xb) const {
  if (update) xb = -1; // an RMW reads from it: nothing may be put between the two
  const bool tso = p_.model == Against::Tso;
  for (std::uint32_t other = 0; other < p_.threads; ++other) {
    if (tso && (other != t || !update)) { // a buffered write is not ghb-before its thread's next read
      set(thread_row(s, other, p_.vr), v);
      set(thread_row(s, other, p_.vrx), xb);
    }
    if (other == t) continue;
    set(thread_row(s, other, p_.vw), v);
    set(thread_row(s, other, p_.vx), xb);
    if (tso) set(thread_row(s, other, p_.own), v);
  }
  for (std::uint32_t z = 0; z < p_.monitored; ++z) {
    if (z == x) continue;
    set(location_row(s, z, p_.w), v);
    set(location_row(s, z, p_.wx), xb);
    if (tso) {
      set(location_row(s, z, p_.m), v);
      set(location_row(s, z, p_.mx), xb);
    }
  }
}

void Monitor::fence(State& s, std::uint32_t t) const {
  if (p_.model != Against::Tso) return;
  const Word *vw = thread_row(s, t, p_.vw), *vx = thread_row(s, t, p_.vx);
  std::copy(vw, vw + p_.v_words, thread_row(s, t, p_.vr));
  std::copy(vx, vx + p_.x_words, thread_row(s, t, p_.vrx));
}

void Monitor::spawn(State& s, std::uint32_t parent, std::uint32_t child) const {
  FP_ASSERT(parent < p_.threads && child < p_.threads && parent != child,
            "who starts and who is started should be two");
  fence(s, parent); // starting a thread drains the store buffer
  const Word* from = thread_row(s, parent, 0);
  std::copy(from, from + p_.thread_stride, thread_row(s, child, 0));
  if (p_.model == Against::Tso) {
    const Word* vw = thread_row(s, child, p_.vw);
    std::copy(vw, vw + p_.v_words, thread_row(s, child, p_.own));
  }
}

void Monitor::join(State& s, std::uint32_t t, std::uint32_t child) const {
  FP_ASSERT(t < p_.threads && child < p_.threads && t != child, "who joins and who is joined should be two");
  fence(s, child); // ending a thread drains its store buffer
  meet(thread_row(s, t, p_.vsc), thread_row(s, child, p_.vsc), p_.l_words);
  meet(thread_row(s, t, p_.vw), thread_row(s, child, p_.vw), p_.v_words);
  meet(thread_row(s, t, p_.vx), thread_row(s, child, p_.vx), p_.x_words);
  if (p_.model != Against::Tso) return;
  meet(thread_row(s, t, p_.vr), thread_row(s, child, p_.vw), p_.v_words);
  meet(thread_row(s, t, p_.vrx), thread_row(s, child, p_.vx), p_.x_words);
}

void Monitor::forget(State& s, std::uint32_t t) const {
  Word* from = thread_row(s, t, 0);
  std::fill(from, from + p_.thread_stride, 0);
  for (std::uint32_t& writer : s.writers)
    if (writer == t + 1) writer = 0; // external to everyone who still reads
}

bool Monitor::diverges(const State& s, std::uint32_t t, const LocalState& label) const {
  if (label.location < 0) return false;
  const std::int32_t x = p_.places[static_cast<std::size_t>(label.location)].index;
  if (x < 0 || static_cast<std::uint32_t>(x) >= p_.judged) return false;
  if (thread_row(s, t, p_.vsc)[x / 64] >> (x % 64) & 1) return false;
  if (!label.fatal_read.empty()) {
    const Word *vr = thread_row(s, t, p_.vr), *own = thread_row(s, t, p_.own);
    for (std::size_t k = 0; k < label.fatal_read.size(); ++k)
      if (vr[k] & own[k] & label.fatal_read[k]) return true;
  }
  return touches(thread_row(s, t, p_.vw), label.fatal_write) || touches(thread_row(s, t, p_.vx), label.fatal_update);
}

} // namespace fencepost::states
