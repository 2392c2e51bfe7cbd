#include "vm/attempts.hpp"

#include <algorithm>

namespace fencepost {
namespace {

bool is_global(const LocalState& event) { return !event.mixed && layout::region(event.action.address) == 0; }

// Whether it has read for an attempt before which there was one in vain.
bool is_attempt(const LocalState& state) { return state.stopped && !state.stopped->action.undone; }

bool balanced(const std::map<std::uint64_t, std::uint64_t>& sums) {
  return !sums.empty() && std::all_of(sums.begin(), sums.end(), [](const auto& sum) { return sum.second == 0; });
}

} // namespace

std::unique_ptr<LocalState> Attempts::judge(const LocalState& now) {
  if (now.action.kind != ActionKind::Write || !now.action.rmw || now.state.blocks) return nullptr;
  const LocalState& last = *now.parent;
  if (last.action.part != Part::Rmw || last.action.barrier || !is_global(last)) return nullptr;
  const auto ahead = rounds_.ahead(last, now.answer);
  if (!ahead.writes) return nullptr;
  std::map<std::uint64_t, std::uint64_t> sums; // by address: what was added so far
  const LocalState *behind = nullptr, *before = &last;
  int left = longest_run;
  for (const LocalState* at = last.parent; at && left-- > 0; behind = before, before = at, at = at->parent) {
    const Action& a = at->action;
    if (adds(*at, machine_.program()) && is_global(*at))
      sums[a.address] = (sums[a.address] + a.value - at->answer) & mask_of(8u * a.size);
    else if (!is_quiet(*at))
      return nullptr;
    if (balanced(sums) && a.part == Part::Rmw && rounds_.may_be_made_at(*at, last, now.answer, ahead)) {
      const bool round = behind && rounds_.same(behind->state, ahead.state); // to where the one in vain led
      return stopped(now, at->state.events, round ? behind : nullptr);
    }
    if (is_attempt(*before)) return nullptr; // to take back is none
  }
  return nullptr;
}

// The state, stopped. `first`: the index of the first event that is left out. `round`: where it was before, if
// anywhere.
std::unique_ptr<LocalState> Attempts::stopped(const LocalState& now, std::uint64_t first, const LocalState* round) {
  auto found = std::make_unique<LocalState>();
  found->state = now.state;
  found->parent = now.parent;
  found->answer = now.answer;
  Action& block = found->action;
  block.kind = ActionKind::Block;
  block.attempt = block.silent = true;
  block.high = first;
  block.spin = round;
  block.shortcut = !round;
  block.value = round ? round->state.events : first;
  block.position = block.loop = rounds_.loop_of(now);
  return found;
}

// Nothing where no attempt was made in the round, or many were: few are enough for most loops.
std::unique_ptr<LocalState> Attempts::judge_head(const LocalState& now) {
  if (now.action.kind != ActionKind::Block || !now.action.undone) return nullptr;
  constexpr int most = 8;
  int all = 0;
  const LocalState* here = nullptr;
  for (const LocalState* at = now.parent; at; at = at->parent) {
    if (!is_attempt(*at)) continue;
    ++all;
    if (!here && at->stopped->action.spin && at->state.events > now.action.value) here = at;
  }
  if (!here || all > most) return nullptr;
  auto found = std::make_unique<LocalState>();
  found->state = now.state;
  found->parent = now.parent;
  found->answer = now.answer;
  found->action = now.action;
  found->action.attempt = true;
  found->action.high = here->stopped->action.high;
  return found;
}

// A loop that begins with an attempt comes back with nothing but that: it is judged by the read of the next one. Not
// where it does not wait in between: threads see one another try for ever. And once: who was there before, in the same
// state, made a round of which nothing was told.
bool Attempts::is_told_by_next(const LocalState& now) const {
  if (now.action.kind != ActionKind::Block || !now.action.undone) return false;
  const LocalState* first = now.parent; // of the round
  bool added = false, waited = false;
  for (; first && first->state.events >= now.action.value; first = first->parent) {
    const bool sum = adds(*first, machine_.program()) && is_global(*first);
    if ((!sum && !is_quiet(*first)) || is_attempt(*first)) return false;
    added |= sum;
    waited |= first->action.part == Part::Await;
    if (first->state.events == now.action.value) break;
  }
  if (!added || !waited || !first) return false;
  int left = longest_run;
  for (const LocalState* at = first->parent; at && left-- > 0; at = at->parent)
    if (rounds_.same(at->state, first->state)) return false;
  return true;
}

bool Attempts::is_indifferent(const LocalState& read, std::uint64_t one, std::uint64_t other) {
  if (one == other) return true;
  const auto [known, fresh] = known_.try_emplace({&read, one, other}, false);
  if (!fresh || !machine_.satisfied(read.state, read.action, other)) return known->second;
  const Rounds::Ahead a = rounds_.ahead(read, one), b = rounds_.ahead(read, other);
  return known->second = a.writes == b.writes && rounds_.alike(a, b);
}

} // namespace fencepost
