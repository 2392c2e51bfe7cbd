// Which bit of the monitor stands for what.
#include "states/monitor.hpp"

#include <algorithm>

namespace fencepost::states {
namespace {

std::uint32_t words_for(std::uint32_t bits) { return (bits + 63) / 64; }

void set_bit(std::vector<std::uint64_t>& mask, std::int32_t bit) {
  if (bit >= 0) mask[static_cast<std::size_t>(bit) / 64] |= std::uint64_t{1} << (bit % 64);
}

// Class 0 holds all values that no label tells apart; where every value counts, each is its own class.
std::size_t class_of(const Plan::Use& use, std::uint64_t value, std::size_t number) {
  if (use.all_critical) return number;
  const auto found = std::find(use.critical.begin(), use.critical.end(), value);
  return found == use.critical.end() ? 0 : static_cast<std::size_t>(found - use.critical.begin()) + 1;
}

std::size_t classes(const Plan::Use& use, const Location& l) {
  return use.all_critical ? l.values.size() : use.critical.size() + 1;
}

// A value of each class: what a label does with it, it does with the whole class.
std::uint64_t representative(const Plan::Use& use, const Location& l, std::size_t which) {
  if (use.all_critical) return l.values[which];
  if (which) return use.critical[which - 1];
  std::uint64_t value = 0;
  while (std::find(use.critical.begin(), use.critical.end(), value) != use.critical.end())
    ++value;
  return value;
}

} // namespace

Plan::Use Plan::use_of(const Location& l, Against model) {
  Use use;
  use.own = (l.threads & (l.threads - 1)) == 0;
  use.monitored = l.shared() && l.atomic && model != Against::Sc;
  use.non_atomic = is_rc11(model) && l.non_atomic && l.shared();
  if (use.non_atomic) {
    use.readers = l.readers;
    use.writers = l.writers;
  }
  if (!use.monitored) return use;
  if (is_rc11(model)) {
    use.seq_cst = l.seq_cst;
    use.releasing = l.releasing;
    use.weaker = l.weaker;
  }
  // Where no RMW reads from old writes, the rows of reads serve writes as well; where every write is an RMW, an old
  // write is read by one. SRA's two kinds of rows always differ.
  const bool sra = model == Against::Sra;
  use.only_updated = !l.written;
  use.readers = l.readers;
  use.writers = l.writers;
  use.tracks_updates = l.written && (l.updated || sra);
  use.tracks_reads = l.read || (l.written && !use.tracks_updates);
  use.all_critical = l.all_critical;
  if (!l.all_critical) use.critical = l.critical;
  return use;
}

Plan Plan::make(const LocalStates& locals, Against model) {
  Plan p;
  p.model = model;
  p.rc11 = Rc11Layout::of(locals.fences(), model == Against::Rc11Cpp20);
  for (const Location& l : locals.locations())
    p.uses.push_back(use_of(l, model));
  p.places.resize(p.uses.size());
  for (const bool judged : {true, false}) {
    for (std::uint32_t k = 0; k < p.uses.size(); ++k)
      if (p.uses[k].monitored && p.uses[k].judged() == judged) {
        p.places[k].index = static_cast<std::int32_t>(p.monitored++);
        p.at.push_back(k);
      }
    if (judged) p.judged = p.monitored;
  }
  p.grow(locals);
  return p;
}

Plan Plan::scout(const LocalStates& locals, Against model) {
  Plan p;
  p.model = model;
  p.scouting = true;
  p.grow(locals);
  return p;
}

bool Plan::outdated(const LocalStates& locals) const {
  if (!scouting && is_rc11(model) && locals.fences() != rc11.fences) return true;
  for (std::size_t k = 0; k < locals.locations().size() && !scouting; ++k) {
    const Use use = use_of(locals.locations()[k], model);
    if (k < uses.size() ? use != uses[k] : use.monitored || use.non_atomic || !use.own) return true;
  }
  return false;
}

void Plan::grow(const LocalStates& locals) {
  threads = locals.threads();
  Use untouched;
  untouched.own = !scouting; // a look ahead cannot know
  uses.resize(locals.locations().size(), untouched);
  places.resize(locals.locations().size());
  number_values(locals);
  number_races();
  lay_out();
}

void Plan::number_values(const LocalStates& locals) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Location& l = locals.locations()[k];
    Place& place = places[k];
    const std::size_t count = classes(uses[k], l);
    if (uses[k].tracks_reads)
      while (place.v_bits.size() < count)
        place.v_bits.push_back(static_cast<std::int32_t>(v_count++));
    if (uses[k].tracks_updates)
      while (place.x_bits.size() < count)
        place.x_bits.push_back(static_cast<std::int32_t>(x_count++));
    place.v_value.assign(l.values.size(), -1);
    place.x_value.assign(l.values.size(), -1);
    for (std::size_t v = 0; v < l.values.size(); ++v) {
      const std::size_t which = class_of(uses[k], l.values[v], v);
      if (uses[k].tracks_reads) place.v_value[v] = place.v_bits[which];
      if (uses[k].tracks_updates) place.x_value[v] = place.x_bits[which];
    }
  }
  for (Place& place : places) {
    place.v_mask.assign(words_for(v_count), 0);
    place.x_mask.assign(words_for(x_count), 0);
    for (const std::int32_t bit : place.v_bits)
      set_bit(place.v_mask, bit);
    for (const std::int32_t bit : place.x_bits)
      set_bit(place.x_mask, bit);
  }
}

void Plan::lay_out() {
  l_words = words_for(judged);
  v_words = words_for(v_count);
  x_words = words_for(x_count);
  r_words = words_for(r_count);
  thread_rows.clear();
  location_rows.clear();
  global_rows.clear();
  if (is_rc11(model)) return lay_out_rc11();
  const bool tso = model == Against::Tso;
  std::uint32_t next = 0;
  std::vector<Row>* rows_here = &thread_rows;
  const auto take = [&](Bits kind) {
    rows_here->push_back({next, kind});
    return next += words(kind), rows_here->back().offset;
  };
  vsc = take(Bits::Locations);
  vr = take(Bits::Reads);
  vx = take(Bits::Updates);
  vw = tso ? take(Bits::Reads) : vr;
  own = tso ? take(Bits::Reads) : vr;
  vrx = tso ? take(Bits::Updates) : vx;
  thread_stride = std::exchange(next, 0);
  rows_here = &location_rows;
  msc = take(Bits::Locations);
  wsc = take(Bits::Locations);
  w = take(Bits::Reads);
  wx = take(Bits::Updates);
  m = tso ? take(Bits::Reads) : w;
  mx = tso ? take(Bits::Updates) : wx;
  location_stride = next;
  rows = threads * thread_stride + monitored * location_stride;
}

void Plan::mark(const LocalStates& locals, LocalState& s) const {
  s.fatal_read.clear();
  s.fatal_write.clear();
  s.fatal_update.clear();
  if (s.location < 0) return;
  const auto k = static_cast<std::size_t>(s.location);
  const Location& l = locals.locations()[k];
  const Place& place = places[k];
  if (place.index < 0) return;
  std::vector<std::uint64_t> read(v_words), write(v_words), update(x_words);
  for (std::size_t c = 0; c < classes(uses[k], l); ++c) {
    const std::uint64_t value = representative(uses[k], l, c);
    const bool is_apart = s.apart == value;
    const std::int32_t v = uses[k].tracks_reads ? place.v_bits[c] : -1;
    const std::int32_t x = uses[k].tracks_updates ? place.x_bits[c] : -1;
    const bool updates = s.kind == LabelKind::Write || s.kind == LabelKind::Update ||
                         ((s.kind == LabelKind::Cas || s.kind == LabelKind::BlockingCas) && is_apart);
    const bool failing = s.kind == LabelKind::Cas && !is_apart;
    if (updates && uses[k].tracks_updates) set_bit(update, x);
    if (updates && !uses[k].tracks_updates && l.written) set_bit(write, v);
    if (s.kind == LabelKind::Read || failing ||
        (s.kind == LabelKind::Await && locals.machine().satisfied(s.state, s.action, value)))
      set_bit(read, v);
  }
  s.fatal_read = std::move(read);
  s.fatal_write = std::move(write);
  s.fatal_update = std::move(update);
}

} // namespace fencepost::states
