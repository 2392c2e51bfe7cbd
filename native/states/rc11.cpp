#include "states/rc11.hpp"

#include "states/words.hpp"

#include <algorithm>

namespace fencepost::states {
namespace {

constexpr std::uint32_t none = Rc11Layout::none;

} // namespace

template <class F> void Rc11Monitor::views(State& s, F f) const {
  Word* at = s.rows.data();
  const auto go = [&](std::uint32_t count, std::uint32_t stride, const std::vector<Plan::Row>& rows) {
    for (std::uint32_t k = 0; k < count; ++k, at += stride)
      for (const Plan::Row& row : rows)
        f(at + row.offset, row.kind);
  };
  go(p_.threads, p_.thread_stride, p_.thread_rows);
  go(p_.monitored, p_.location_stride, p_.location_rows);
  go(1, p_.global_stride, p_.global_rows);
}

// --- steps

void Rc11Monitor::step(State& s, std::uint32_t t, const LocalState& label, const Successor& to, std::uint32_t other,
                       std::uint32_t old) const {
  switch (label.kind) {
  case LabelKind::Fence:
    return fence(s, t, label.action.fence);
  case LabelKind::Spawn:
    return spawn(s, t, other);
  case LabelKind::Join:
    return join(s, t, other);
  default:
    break;
  }
  if (label.location < 0) return event(s, t);
  const Plan::Place& place = p_.places[static_cast<std::size_t>(label.location)];
  const bool reads = label.kind != LabelKind::Write, writes = to.written != no_value, update = reads && writes;
  const Mode mode = label.kind == LabelKind::Cas && !writes ? label.action.failure : label.action.mode;
  if (place.first_race >= 0) {
    if (reads) note_race(s, t, place, false, label.non_atomic);
    if (writes) note_race(s, t, place, true, label.non_atomic);
  }
  if (place.index < 0) return event(s, t);
  const auto x = static_cast<std::uint32_t>(place.index);
  if (reads) access(s, t, x, false, mode);
  if (!writes) return shared_.read_sc(s, t, x);
  add_old(s, place, old, update);
  access(s, t, x, true, mode);
  release(s, t, x, mode, update);
  shared_.write_sc(s, t, x);
}

void Rc11Monitor::access(State& s, std::uint32_t t, std::uint32_t x, bool write, Mode mode) const {
  const Plan::Place& place = p_.places[p_.at[x]];
  Word* k = of_thread(s, t, r_.cur);
  if (!write && mode != Mode::Na) {
    const Word* message = of_location(s, x, r_.msg);
    if (r_.acq != none) meet(of_thread(s, t, r_.acq), message, r_.record);
    if (acquires(mode)) meet(k, message, r_.record);
  }
  const std::int32_t z = r_.seq_cst_of[x];
  std::vector<Word> before(r_.pair), others(r_.pair),
      node; // S of the thread's own SC accesses, and not of x; S of this
  own(s, t, -1, before);
  own(s, t, z, others);
  if (mode == Mode::Sc) {
    node = before;
    if (r_.f != none) meet(node.data(), k + r_.f, r_.pair);
    meet(node.data(), of_z(s, t, r_.hm, z), r_.pair);
    meet(node.data(), k + r_.l + static_cast<std::uint32_t>(z) * r_.pair, r_.pair);
    if (write) {
      meet(node.data(), of_location(s, x, r_.asc), r_.pair);
      if (r_.y != none) meet(node.data(), of_location(s, x, r_.y), r_.pair);
      for (std::uint32_t part = 0; part < r_.pair; part += r_.view)
        clear_at(node.data() + part, place);
    }
  }
  if (r_.e != none) {
    meet(k + r_.e, before.data(), r_.pair);
    if (z >= 0) meet(k + r_.e, k + r_.l + static_cast<std::uint32_t>(z) * r_.pair, r_.pair);
    meet(k + r_.e, of_location(s, x, write ? r_.y : r_.x), r_.pair);
    if (write && r_.asc != none) meet(k + r_.e, of_location(s, x, r_.asc), r_.pair);
  }
  if (r_.h != none) {
    meet(k + r_.h, others.data(), r_.pair);
    for (std::int32_t other = 0; other < static_cast<std::int32_t>(r_.seq_cst); ++other)
      if (other != z) std::copy(k + r_.h, k + r_.h + r_.pair, of_z(s, t, r_.hm, other));
  }
  clear_at(k, place);
  if (write && r_.cur_w != none) clear_at(k + r_.cur_w, place);
  if (r_.f != none) {
    Word* y = of_location(s, x, r_.y);
    meet(y, k + r_.f, r_.pair);
    if (write) std::copy(y, y + r_.pair, of_location(s, x, r_.x));
  }
  if (mode == Mode::Sc) {
    meet(of_location(s, x, r_.asc), node.data(), r_.pair);
    meet(of_z(s, t, r_.pb, z), node.data(), r_.pair);
    meet(k + r_.l + static_cast<std::uint32_t>(z) * r_.pair, node.data(), r_.pair);
  }
  normalise(s, t);
}

// What an acquiring read of this write will learn.
void Rc11Monitor::release(State& s, std::uint32_t t, std::uint32_t x, Mode mode, bool update) const {
  const Word* k = of_thread(s, t, r_.cur);
  const std::int32_t resumed = r_.resumed_of[x];
  Word* resume = resumed < 0 ? nullptr : of_thread(s, t, r_.rel_x + static_cast<std::uint32_t>(resumed) * r_.record);
  std::vector<Word> released(r_.record);
  if (releases(mode)) {
    std::copy(k, k + r_.record, released.begin());
    if (resume) std::copy(k, k + r_.record, resume);
  } else {
    nothing(s, released.data());
    if (mode != Mode::Na && r_.rel_f != none) meet(released.data(), of_thread(s, t, r_.rel_f), r_.record);
    if (mode != Mode::Na && resume) meet(released.data(), resume, r_.record);
  }
  Word* message = of_location(s, x, r_.msg);
  if (update)
    meet(message, released.data(), r_.record);
  else
    std::copy(released.begin(), released.end(), message);
}

void Rc11Monitor::fence(State& s, std::uint32_t t, FenceKind kind) const {
  Word* k = of_thread(s, t, r_.cur);
  if (kind != FenceKind::Rel) meet(k, of_thread(s, t, r_.acq), r_.record);
  if (kind == FenceKind::Sc) {
    std::vector<Word> before(r_.pair);
    own(s, t, -1, before);
    meet(k + r_.f, k + r_.e, r_.pair); // E has cur
    meet(k + r_.f, before.data(), r_.pair);
  }
  event(s, t);
  normalise(s, t);
  if (kind != FenceKind::Acq) std::copy(k, k + r_.record, of_thread(s, t, r_.rel_f));
}

// An event that has no location.
void Rc11Monitor::event(State& s, std::uint32_t t) const {
  if (r_.h == none) return;
  Word* k = of_thread(s, t, r_.cur);
  std::vector<Word> before(r_.pair);
  own(s, t, -1, before);
  meet(k + r_.h, before.data(), r_.pair);
  if (r_.e != none) meet(k + r_.e, before.data(), r_.pair);
  for (std::int32_t z = 0; z < static_cast<std::int32_t>(r_.seq_cst); ++z)
    std::copy(k + r_.h, k + r_.h + r_.pair, of_z(s, t, r_.hm, z));
}

void Rc11Monitor::spawn(State& s, std::uint32_t parent, std::uint32_t child) const {
  event(s, parent);
  const Word* from = of_thread(s, parent, 0);
  std::copy(from, from + p_.thread_stride, of_thread(s, child, 0));
  const Word* k = of_thread(s, child, r_.cur);
  if (r_.acq != none) std::copy(k, k + r_.record, of_thread(s, child, r_.acq));
  if (r_.rel_f != none) nothing(s, of_thread(s, child, r_.rel_f));
  for (std::uint32_t n = 0; n < r_.resumed; ++n)
    nothing(s, of_thread(s, child, r_.rel_x + n * r_.record));
}

void Rc11Monitor::join(State& s, std::uint32_t t, std::uint32_t child) const {
  meet(of_thread(s, t, p_.vsc), of_thread(s, child, p_.vsc), p_.l_words);
  meet(of_thread(s, t, r_.cur), of_thread(s, child, r_.cur), r_.record);
  if (r_.pb != none) meet(of_thread(s, t, r_.pb), of_thread(s, child, r_.pb), r_.seq_cst * r_.pair);
  event(s, t);
  normalise(s, t);
}

void Rc11Monitor::normalise(State& s, std::uint32_t t) const {
  Word* k = of_thread(s, t, r_.cur);
  if (r_.e != none) {
    meet(k + r_.e, k + r_.f, r_.pair);
    meet(k + r_.e, k, r_.view);
    if (r_.cur_w != none) meet(k + r_.e + r_.view, k + r_.cur_w, r_.view);
  }
  if (r_.acq != none) meet(of_thread(s, t, r_.acq), k, r_.record);
}

// --- pieces

// The thread's own SC accesses, but for those of the location with index z among the seq-cst ones.
void Rc11Monitor::own(const State& s, std::uint32_t t, std::int32_t z, std::vector<Word>& all) const {
  std::fill(all.begin(), all.end(), ~Word{0});
  for (std::int32_t other = 0; other < static_cast<std::int32_t>(r_.seq_cst); ++other)
    if (other != z) meet(all.data(), of_z(s, t, r_.pb, other), r_.pair);
}

void Rc11Monitor::clear_at(Word* view, const Plan::Place& place) const {
  for (std::uint32_t k = 0; k < p_.v_words; ++k)
    view[k] &= ~place.v_mask[k];
  for (std::uint32_t k = 0; k < p_.x_words; ++k)
    view[p_.v_words + k] &= ~place.x_mask[k];
}

// The record of somebody who has seen the initial writes only.
void Rc11Monitor::nothing(const State& s, Word* record) const {
  const Word* bottom = s.rows.data() + (p_.rows - p_.global_stride);
  for (std::uint32_t at = 0; at < r_.races; at += r_.view)
    std::copy(bottom, bottom + r_.view, record + at);
  std::copy(bottom + r_.view, bottom + r_.view + p_.r_words, record + r_.races);
}

// The overwritten value becomes an old one for everybody; who sees the new write forgets it at once.
void Rc11Monitor::add_old(State& s, const Plan::Place& place, std::uint32_t old, bool update) const {
  const std::int32_t v = place.v_value[old], x = update ? -1 : place.x_value[old];
  views(s, [&](Word* row, Plan::Bits kind) {
    const std::int32_t bit = kind == Plan::Bits::Reads ? v : kind == Plan::Bits::Updates ? x : -1;
    if (bit >= 0) row[bit / 64] |= Word{1} << (bit % 64);
  });
}

void Rc11Monitor::note_race(State& s, std::uint32_t t, const Plan::Place& place, bool write, bool non_atomic) const {
  const std::uint32_t first = static_cast<std::uint32_t>(place.first_race) + t * place.race_kinds + (write ? 1 : 0);
  for (const std::uint32_t bit : {first, first + 2}) {
    if (bit == first + 2 && (place.race_kinds == 2 || !non_atomic)) break;
    views(s, [&](Word* row, Plan::Bits kind) {
      if (kind == Plan::Bits::Races) row[bit / 64] |= Word{1} << (bit % 64);
    });
    of_thread(s, t, r_.cur + r_.races)[bit / 64] &= ~(Word{1} << (bit % 64));
    if (r_.acq != none) of_thread(s, t, r_.acq + r_.races)[bit / 64] &= ~(Word{1} << (bit % 64));
  }
}

// --- judging

bool Rc11Monitor::diverges(const State& s, std::uint32_t t, const LocalState& label) const {
  if (label.location < 0) return false;
  const std::int32_t index = p_.places[static_cast<std::size_t>(label.location)].index;
  if (index < 0 || static_cast<std::uint32_t>(index) >= p_.judged) return false;
  if (of_thread(s, t, p_.vsc)[index / 64] >> (index % 64) & 1) return false;
  const auto x = static_cast<std::uint32_t>(index);
  const bool sc = label.action.mode == Mode::Sc;
  const bool sc_read = label.kind == LabelKind::Cas ? label.action.failure == Mode::Sc : sc;
  return touches(s, t, x, sc_read, 0, label.fatal_read) || touches(s, t, x, sc, 0, label.fatal_write) ||
         touches(s, t, x, sc, p_.v_words, label.fatal_update);
}

bool Rc11Monitor::touches(const State& s, std::uint32_t t, std::uint32_t x, bool sc, std::uint32_t rows,
                          const std::vector<Word>& fatal) const {
  const Word* k = of_thread(s, t, r_.cur);
  const std::uint32_t b = r_.pair - r_.view; // of the two views of a pair, that of SC accesses comes last
  for (std::uint32_t word = 0; word < fatal.size(); ++word) {
    const std::uint32_t at = rows + word;
    Word left = k[at] & fatal[word];
    if (r_.f != none) left &= k[r_.f + at];
    if (sc && left) {
      const std::int32_t z = r_.seq_cst_of[x];
      for (std::int32_t other = 0; other < static_cast<std::int32_t>(r_.seq_cst); ++other)
        left &= of_z(s, t, r_.pb, other)[b + at];
      left &= of_z(s, t, r_.hm, z)[b + at] & k[r_.l + static_cast<std::uint32_t>(z) * r_.pair + b + at];
    }
    if (left) return true;
  }
  return false;
}

std::int32_t Rc11Monitor::races(const State& s, std::uint32_t t, const LocalState& label, bool writes) const {
  const Plan::Place& place = p_.places[static_cast<std::size_t>(label.location)];
  if (place.first_race < 0) return -1;
  std::vector<Word> row(of_thread(s, t, r_.cur + r_.races), of_thread(s, t, r_.cur + r_.races) + p_.r_words);
  const Mode mode = label.kind == LabelKind::Cas && !writes ? label.action.failure : label.action.mode;
  if (label.kind != LabelKind::Write && acquires(mode) && place.index >= 0) // it happens after what it reads from
    meet(row.data(), of_location(s, static_cast<std::uint32_t>(place.index), r_.msg + r_.races), p_.r_words);
  const Plan::Use& use = p_.uses[static_cast<std::size_t>(label.location)];
  for (std::uint32_t other = 0; (use.readers | use.writers) >> other; ++other) {
    const std::uint32_t first = static_cast<std::uint32_t>(place.first_race) + other * place.race_kinds +
                                (label.non_atomic || place.race_kinds == 2 ? 0 : 2);
    for (const bool written : {false, true}) {
      const std::uint32_t bit = first + (written ? 1 : 0);
      if ((written || writes) && (row[bit / 64] >> (bit % 64) & 1)) return static_cast<std::int32_t>(other);
    }
  }
  return -1;
}

// --- forgetting

void Rc11Monitor::forget(State& s, const LocalStates& locals, std::uint32_t static_threads) const {
  for (std::uint32_t t = 0; t < p_.threads; ++t) {
    const LabelKind kind = locals.at(t, s.locals[t]).kind;
    Word* rows = of_thread(s, t, 0);
    const bool over = kind == LabelKind::Blocked || kind == LabelKind::Error || s.locals[t] == not_started;
    if (over || (kind == LabelKind::End && t < static_threads))
      std::fill(rows, rows + p_.thread_stride, 0);
    else if (kind == LabelKind::End) // somebody may join it
      for (const std::uint32_t record : {r_.acq, r_.rel_f})
        if (record != none) std::fill(rows + record, rows + record + r_.record, 0);
    if (kind == LabelKind::End && r_.rel_x != none)
      std::fill(rows + r_.rel_x, rows + r_.rel_x + r_.resumed * r_.record, 0);
  }
}

} // namespace fencepost::states
