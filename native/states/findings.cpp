// What a search finds in a state, and what it tells about it.
#include "states/search.hpp"
#include "vm/contract.hpp"

#include <algorithm>

namespace fencepost::states {

// Nobody can go on: an error of the program if somebody waits, unless an assumption or an error ended the run.
void Search::find_deadlock(Worker& w, std::uint32_t id) const {
  std::uint32_t waiting = plan_.threads;
  for (std::uint32_t t = plan_.threads; t-- > 0;) {
    const LocalState& l = locals_.at(t, w.state.locals[t]);
    if (l.kind == LabelKind::End && l.action.process) return; // everybody who waits ends with the program
    if (w.state.locals[t] == not_started || l.kind == LabelKind::End) continue;
    if (l.kind == LabelKind::Blocked || l.kind == LabelKind::Error) return;
    if (l.kind != LabelKind::Join || waiting == plan_.threads) waiting = t; // who joins waits for the others' sake
  }
  if (waiting == plan_.threads) return;
  const Action& a = locals_.at(waiting, w.state.locals[waiting]).action;
  w.errors.push_back({id, waiting, a.position, 0, ErrorKind::Deadlock, ""});
}

void Search::judge(Worker& w, std::uint32_t id) const {
  bool non_atomic = false;
  const bool rc11 = is_rc11(plan_.model);
  for (std::uint32_t t = 0; t < plan_.threads; ++t) {
    const LocalState& l = locals_.at(t, w.state.locals[t]);
    non_atomic |= l.non_atomic;
    if (l.kind == LabelKind::Error)
      w.errors.push_back({id, t, l.action.position, l.action.string, l.action.error, l.action.message});
    if (rc11 ? rc11_.diverges(w.state, t, l) : monitor_.diverges(w.state, t, l)) {
      w.finding = Finding{id, t, t, false};
      return;
    }
  }
  if (rc11 && plan_.r_count)
    find_race_by_hb(w, id);
  else if (non_atomic && !rc11)
    find_race(w, id);
}

// Under RC11 two accesses race where neither happens before the other, however far apart SC runs have them.
void Search::find_race_by_hb(Worker& w, std::uint32_t id) const {
  for (std::uint32_t t = 0; t < plan_.threads; ++t) {
    const LocalState& l = locals_.at(t, w.state.locals[t]);
    if (l.location < 0) continue;
    const Keys k = keys(w.state, l);
    if (k.first > k.last) continue;
    const std::uint64_t value = locals_.locations()[static_cast<std::size_t>(l.location)]
                                    .values[w.state.values[static_cast<std::size_t>(l.location)]];
    const bool reads =
        l.kind == LabelKind::Read || l.kind == LabelKind::Await || (l.kind == LabelKind::Cas && value != l.apart);
    const std::int32_t other = rc11_.races(w.state, t, l, !reads);
    if (other < 0) continue;
    w.finding = Finding{id, t, static_cast<std::uint32_t>(other), true};
    return;
  }
}

// Definition 6.1: two labels on one location, one writes, one is not atomic.
void Search::find_race(Worker& w, std::uint32_t id) const {
  const auto writes = [](const LocalState& l) { return l.kind != LabelKind::Read && l.kind != LabelKind::Await; };
  for (std::uint32_t t = 0; t < plan_.threads; ++t)
    for (std::uint32_t other = 0; other < plan_.threads; ++other) {
      const LocalState &a = locals_.at(t, w.state.locals[t]), &b = locals_.at(other, w.state.locals[other]);
      if (t != other && a.non_atomic && a.location >= 0 && a.location == b.location && (writes(a) || writes(b))) {
        w.finding = Finding{id, t, other, true};
        return;
      }
    }
}

// --- what is told

Emptiness Search::emptiness() const {
  Emptiness found;
  for (std::uint32_t t = 0; t < locals_.threads(); ++t)
    for (std::uint32_t n = 1; n < locals_.count(t); ++n) {
      const LocalState& l = locals_.at(t, n);
      if (l.kind != LabelKind::Blocked) continue;
      auto& place = l.waits_alone ? found.waits_alone : found.assumption;
      if (!place) place = l.action.position;
    }
  if (found.assumption && (options_.hash_compact || somebody_finishes())) found.assumption.reset();
  return found;
}

// Whether some state has every thread at its end, but for those that are not made to end.
bool Search::somebody_finishes() const {
  std::vector<bool> endless;
  for (std::uint32_t t = 0; t < locals_.threads(); ++t)
    endless.push_back(locals_.endless(t));
  State s;
  for (const StateSet& set : shards_)
    for (std::uint32_t number = 0; number < set.size(); ++number) {
      codec_.unpack(set.record(number), s, plan_);
      bool all = true;
      for (std::uint32_t t = 0; t < plan_.threads; ++t) {
        const LocalState& l = locals_.at(t, s.locals[t]);
        const LabelKind kind = l.kind;
        if (kind == LabelKind::End && l.action.process) return true;
        all &= s.locals[t] == not_started || kind == LabelKind::End || (endless[t] && kind != LabelKind::Blocked);
      }
      if (all) return true;
    }
  return false;
}

SearchStatistics Search::statistics() const {
  SearchStatistics total;
  total.bytes = locals_.bytes();
  for (const StateSet& s : shards_) {
    total.states += s.size();
    total.bytes += s.bytes();
  }
  for (const Worker& w : workers_)
    total.transitions += w.transitions;
  total.bits_per_state = codec_.bits();
  total.locations = static_cast<std::uint32_t>(plan_.places.size());
  total.monitored = plan_.monitored;
  total.local_states = static_cast<std::uint32_t>(locals_.total());
  total.depth = depth_;
  total.restarts = restarts_;
  return total;
}

TraceStep Search::describe(const State& s, std::uint32_t t, const Successor* to, std::uint32_t other) const {
  const LocalState& l = locals_.at(t, s.locals[t]);
  TraceStep step;
  step.thread = t;
  step.kind = l.kind;
  step.action = l.action.kind;
  step.fence = l.action.fence;
  step.mode = l.action.mode;
  step.failure = l.action.failure;
  step.size = l.action.size;
  step.position = l.action.position;
  step.other = other;
  step.address = l.action.address;
  step.value_written = l.action.value;
  if (!to) return step;
  step.reads = l.action.kind == ActionKind::Read;
  step.writes = l.location >= 0 && to->written != no_value;
  if (l.kind == LabelKind::Cas && !step.writes) step.mode = l.action.failure;
  if (l.location >= 0) {
    const Location& location = locals_.locations()[static_cast<std::size_t>(l.location)];
    step.value_read = location.values[s.values[static_cast<std::size_t>(l.location)]];
    if (step.writes) step.value_written = location.values[to->written];
  } else if (l.kind == LabelKind::Choose) {
    step.value_read = l.action.value + to->key;
  }
  return step;
}

TraceStep Search::label_of(std::uint32_t thread) const {
  FP_REQUIRE(status_ == SearchStatus::Diverges || status_ == SearchStatus::Race, "a label should be of what was found");
  FP_REQUIRE(thread < finding_state_.locals.size(), "a label should be of a thread that exists");
  return describe(finding_state_, thread, nullptr, 0);
}

Search::Effect Search::effect(std::uint64_t value) const {
  FP_REQUIRE(finding_.has_value(), "an effect should be asked where something was found");
  const LocalState& l = locals_.at(finding_->thread, finding_state_.locals[finding_->thread]);
  if (l.kind == LabelKind::Write) return {true, true, l.action.value};
  if (!locals_.machine().satisfied(l.state, l.action, value)) return {false, false, 0};
  Machine machine(program_);
  ThreadState s = l.state;
  machine.reply(s, l.action, value);
  if (!s.write_pending) return {true, false, 0};
  return {true, true, machine.run(s).value};
}

} // namespace fencepost::states
