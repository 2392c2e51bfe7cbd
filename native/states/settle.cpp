// What of a monitor no later label can notice, and is therefore forgotten: states that differ in nothing else become
// one. All of it rests on two facts about a location y. Until the next write of y, awareness of y only grows and the
// old values of y that a thread may take only become fewer. And the next write of y makes every other thread and
// location unaware of it and adds the same old value everywhere, whatever was known before.
//
//   values      An old value matters while some thread may take it whose next access of y may be fatal with it, unless
//               what the thread reads before tells it better.
//   awareness   Who is aware of y matters while some thread that is not aware of it could do something fatal there.
//   locations   What an access of x passes on matters to those who may still access x and do not know it yet.
//   the next    A thread that stands before an access of x will learn what that access passes on, and more if it waits.
//               It may as well know it now, except for x itself. Only old values need care: a plain write may bring
//               some back, unless all writes of x come from one thread, or all are RMWs.
//
// Who may access x, and what is fatal for whom, is what the search learned so far. When it learns more, it starts
// again. A thread that has not started will know what its parent knows by then: until then everything may matter to it.
#include "states/monitor.hpp"

#include <bit>

namespace fencepost::states {

void Monitor::settle(State& s, const LocalStates& locals) const {
  for (std::uint32_t t = 0; t < p_.threads; ++t)
    anticipate(s, t, locals.at(t, s.locals[t]));
  settle_values(s, locals);
  settle_awareness(s, locals);
  for (std::uint32_t x = 0; x < p_.monitored; ++x)
    settle_location(s, x);
}

void Monitor::anticipate(State& s, std::uint32_t t, const LocalState& label) const {
  if (label.location < 0) return;
  const auto where = static_cast<std::size_t>(label.location);
  const std::int32_t x = p_.places[where].index;
  if (x < 0) return;
  const auto at = static_cast<std::uint32_t>(x);
  const auto learn = [&](std::uint32_t mine, std::uint32_t theirs, std::uint32_t words, const auto& but) {
    for (std::uint32_t k = 0; k < words; ++k)
      thread_row(s, t, mine)[k] &= location_row(s, at, theirs)[k] | but(k);
  };
  const bool writes = label.kind == LabelKind::Write,
             reads = !writes && label.kind != LabelKind::Update && label.kind != LabelKind::BlockingCas;
  learn(p_.vsc, reads ? p_.wsc : p_.msc, p_.l_words,
        [&](std::uint32_t k) { return k == at / 64 ? std::uint64_t{1} << (at % 64) : 0; });
  const Plan::Use& use = p_.uses[where];
  if (p_.model == Against::Tso || is_rc11(p_.model) || writes || !use.settled()) return;
  learn(p_.vr, p_.w, p_.v_words, [&](std::uint32_t k) { return p_.places[where].v_mask[k]; });
  learn(p_.vx, p_.wx, p_.x_words, [&](std::uint32_t k) { return p_.places[where].x_mask[k]; });
}

// The old values in word k of this thread's rows that its next access of their location may be fatal with. If the
// thread reads z in any case before, then none that z's last write has seen superseded.
std::uint64_t Monitor::risk(const State& s, std::uint32_t t, const LocalState& label, std::uint32_t k,
                            bool updates) const {
  const std::uint32_t a = updates ? p_.vx : p_.vr, b = updates ? p_.vrx : p_.vw;
  std::uint64_t risk = (thread_row(s, t, a)[k] | thread_row(s, t, b)[k]) & (updates ? label.next_x : label.next_v)[k];
  if (p_.model == Against::Tso || is_rc11(p_.model)) return risk; // where reading need not tell
  for (std::uint32_t y = 0; y < p_.judged && risk; ++y) {
    const Plan::Place& place = p_.places[p_.at[y]];
    const std::uint64_t here = (updates ? place.x_mask : place.v_mask)[k];
    for (std::uint64_t left = label.before[y]; left && (risk & here); left &= left - 1) {
      const auto z = static_cast<std::uint32_t>(std::countr_zero(left));
      if (z >= p_.monitored) break;
      risk &= location_row(s, z, updates ? p_.wx : p_.w)[k] | ~here;
    }
  }
  return risk;
}

void Monitor::settle_values(State& s, const LocalStates& locals) const {
  const auto keep = [&](std::uint32_t words, std::uint32_t a, std::uint32_t b, std::uint32_t own, bool updates) {
    for (std::uint32_t k = 0; k < words; ++k) {
      std::uint64_t live = 0;
      for (std::uint32_t t = 0; t < p_.threads; ++t)
        live |= s.locals[t] == not_started ? ~std::uint64_t{0} : risk(s, t, locals.at(t, s.locals[t]), k, updates);
      for (std::uint32_t t = 0; t < p_.threads; ++t)
        for (const std::uint32_t row : {a, b, own})
          thread_row(s, t, row)[k] &= live;
      if (is_rc11(p_.model)) keep_everywhere(s, k, updates ? Plan::Bits::Updates : Plan::Bits::Reads, live);
    }
  };
  keep(p_.v_words, p_.vr, p_.vw, p_.own, false);
  keep(p_.x_words, p_.vx, p_.vrx, p_.vx, true);
}

// RC11 has many views; each of them only ever limits what a thread may take.
void Monitor::keep_everywhere(State& s, std::uint32_t word, Plan::Bits kind, std::uint64_t live) const {
  std::uint64_t* at = s.rows.data();
  const auto go = [&](std::uint32_t count, std::uint32_t stride, const std::vector<Plan::Row>& rows) {
    for (std::uint32_t k = 0; k < count; ++k, at += stride)
      for (const Plan::Row& row : rows)
        if (row.kind == kind) at[row.offset + word] &= live;
  };
  go(p_.threads, p_.thread_stride, p_.thread_rows);
  go(p_.monitored, p_.location_stride, p_.location_rows);
  go(1, p_.global_stride, p_.global_rows);
}

// Whether a label of this thread on x could diverge before x is written again, once the thread is aware of x.
bool Monitor::at_risk(const State& s, std::uint32_t t, const LocalState& label, std::uint32_t x) const {
  if (s.locals[t] == not_started) return true;
  const Plan::Place& place = p_.places[p_.at[x]];
  for (std::uint32_t k = 0; k < p_.v_words; ++k)
    if (place.v_mask[k] && (risk(s, t, label, k, false) & place.v_mask[k])) return true;
  for (std::uint32_t k = 0; k < p_.x_words; ++k)
    if (place.x_mask[k] && (risk(s, t, label, k, true) & place.x_mask[k])) return true;
  return false;
}

void Monitor::settle_awareness(State& s, const LocalStates& locals) const {
  for (std::uint32_t x = 0; x < p_.judged; ++x) {
    const std::uint32_t k = x / 64;
    const std::uint64_t bit = std::uint64_t{1} << (x % 64);
    const Plan::Use& use = p_.uses[p_.at[x]];
    bool unaware = false, matters = false;
    for (std::uint32_t t = 0; t < p_.threads; ++t) {
      const bool own = (use.readers | use.writers) >> t & 1;
      const bool here = s.locals[t] == not_started || (thread_row(s, t, p_.vsc)[k] & bit);
      unaware |= here;
      matters |= own && here && at_risk(s, t, locals.at(t, s.locals[t]), x);
    }
    if (!unaware || matters) continue;
    for (std::uint32_t t = 0; t < p_.threads; ++t)
      thread_row(s, t, p_.vsc)[k] &= ~bit;
  }
}

void Monitor::settle_location(State& s, std::uint32_t x) const {
  const auto keep = [&](std::uint32_t row, std::uint32_t words, std::uint64_t threads, std::uint32_t a,
                        std::uint32_t b) {
    for (std::uint32_t k = 0; k < words; ++k) {
      std::uint64_t need = 0;
      for (std::uint32_t t = 0; t < p_.threads; ++t)
        if (threads >> t & 1)
          need |= s.locals[t] == not_started ? ~std::uint64_t{0} : thread_row(s, t, a)[k] | thread_row(s, t, b)[k];
      location_row(s, x, row)[k] &= need;
    }
  };
  const Plan::Use& use = p_.uses[p_.at[x]];
  const bool tso = p_.model == Against::Tso;
  keep(p_.msc, p_.l_words, use.writers, p_.vsc, p_.vsc);
  keep(p_.wsc, p_.l_words, use.readers, p_.vsc, p_.vsc);
  keep(p_.w, p_.v_words, use.readers, p_.vr, p_.vw);
  keep(p_.wx, p_.x_words, use.readers | (p_.model == Against::Sra ? use.writers : 0), p_.vx, p_.vrx);
  if (!tso) return;
  keep(p_.m, p_.v_words, use.writers, p_.vw, p_.vw);
  keep(p_.mx, p_.x_words, use.writers, p_.vx, p_.vx);
  // Whose write it is tells reads of the same thread from those of others.
  if (s.writers[x] && !(use.readers >> (s.writers[x] - 1) & 1)) s.writers[x] = 0;
}

} // namespace fencepost::states
