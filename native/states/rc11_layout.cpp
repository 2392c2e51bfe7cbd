#include "states/monitor.hpp"

#include <bit>

namespace fencepost::states {

// Bits for accesses that may race: for each thread its reads and its writes of a location; where the location also has
// atomic accesses, the non-atomic ones among them once more.
void Plan::number_races() {
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!uses[k].non_atomic || places[k].first_race >= 0) continue;
    places[k].first_race = static_cast<std::int32_t>(r_count);
    places[k].race_kinds = uses[k].monitored ? 4 : 2;
    r_count += places[k].race_kinds * static_cast<std::uint32_t>(std::bit_width(uses[k].readers | uses[k].writers));
  }
}

void Plan::lay_out_rc11() {
  Rc11Layout& r = rc11;
  r.seq_cst_of.assign(monitored, -1);
  r.resumed_of.assign(monitored, -1);
  r.seq_cst = r.resumed = 0;
  for (std::uint32_t x = 0; x < monitored; ++x) {
    const Use& use = uses[at[x]];
    if (use.seq_cst) r.seq_cst_of[x] = static_cast<std::int32_t>(r.seq_cst++);
    if (!r.cpp20 && (use.releasing & use.weaker)) r.resumed_of[x] = static_cast<std::int32_t>(r.resumed++);
  }
  r.sc_accesses = r.seq_cst != 0;
  const bool both = r.sc_fences && r.sc_accesses;
  r.view = v_words + x_words;
  r.pair = both ? 2 * r.view : r.view;

  std::uint32_t next = 0;
  std::vector<Row>* here = &thread_rows;
  const auto row = [&](Bits kind) {
    here->push_back({next, kind});
    next += words(kind);
  };
  const auto view = [&] {
    const std::uint32_t start = next;
    row(Bits::Reads);
    row(Bits::Updates);
    return start;
  };
  const auto pairs = [&](bool wanted, std::uint32_t count) {
    const std::uint32_t start = next;
    for (std::uint32_t k = 0; k < count && wanted; ++k)
      for (int part = 0; part < (both ? 2 : 1); ++part)
        view();
    return wanted ? start : Rc11Layout::none;
  };
  const auto record = [&](bool wanted) {
    if (!wanted) return Rc11Layout::none;
    const std::uint32_t start = view();
    r.cur_w = both ? view() - start : Rc11Layout::none;
    const auto part = [&](bool there, std::uint32_t count) {
      const std::uint32_t first = pairs(there, count);
      return there ? first - start : Rc11Layout::none;
    };
    r.f = part(r.sc_fences, 1);
    r.e = part(r.sc_fences, 1);
    r.h = part(r.sc_accesses, 1);
    r.l = part(r.sc_accesses, r.seq_cst);
    r.races = next - start;
    row(Bits::Races);
    r.record = next - start;
    return start;
  };

  row(Bits::Locations);
  vsc = 0;
  r.cur = record(true);
  vr = vw = own = r.cur;
  vx = vrx = r.cur + v_words;
  r.acq = record(r.acquire_fences);
  r.rel_f = record(r.release_fences);
  r.rel_x = r.resumed ? next : Rc11Layout::none;
  for (std::uint32_t k = 0; k < r.resumed; ++k)
    record(true);
  r.pb = pairs(r.sc_accesses, r.seq_cst);
  r.hm = pairs(r.sc_accesses, r.seq_cst);
  thread_stride = next;

  next = 0;
  here = &location_rows;
  row(Bits::Locations);
  row(Bits::Locations);
  msc = 0;
  wsc = l_words;
  r.msg = record(true);
  w = m = r.msg;
  wx = mx = r.msg + v_words;
  r.x = pairs(r.sc_fences, 1);
  r.y = pairs(r.sc_fences, 1);
  r.asc = pairs(r.sc_accesses, 1);
  location_stride = next;

  next = 0;
  here = &global_rows;
  view(); // what was seen by somebody who saw only the initial writes
  row(Bits::Races);
  global_stride = next;
  rows = threads * thread_stride + monitored * location_stride + global_stride;
}

} // namespace fencepost::states
