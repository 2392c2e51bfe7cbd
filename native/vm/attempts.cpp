#include "vm/attempts.hpp"

#include <algorithm>
#include <map>

namespace fencepost {
namespace {

bool is_global(const LocalState& event) { return !event.mixed && layout::region(event.action.address) == 0; }

// Whether it has read for an attempt before which there was one in vain.
bool is_attempt(const LocalState& state) { return state.stopped && !state.stopped->action.undone; }

bool balanced(const std::map<std::uint64_t, std::uint64_t>& sums) {
  return !sums.empty() && std::all_of(sums.begin(), sums.end(), [](const auto& sum) { return sum.second == 0; });
}

} // namespace

// Runs on from a read with this value, and through the write that may belong to it, up to the next action; whether
// there is such a write.
bool Attempts::goes_on(ThreadState& s, const Action& read, std::uint64_t value, Action& write, Action& reached) {
  s.spins.clear(); // what was met in loops before says nothing about this way
  machine_.reply(s, read, value);
  write = machine_.run(s);
  reached = write;
  if (write.kind != ActionKind::Write || !write.rmw) return false;
  machine_.reply(s, write, 0);
  reached = machine_.run(s);
  return true;
}

// Whether the attempt, made at `from` in place of the one that was made there, leads to the same.
bool Attempts::leads_to(const LocalState& from, const Ahead& ahead) {
  const Action &a = from.action, &again = ahead.read->action;
  if (a.kind != ActionKind::Read || a.part != Part::Rmw || a.address != again.address || a.size != again.size ||
      a.mode != again.mode)
    return false;
  ThreadState direct = from.state;
  Action write, end;
  return goes_on(direct, a, ahead.value, write, end) && write.value == ahead.write.value &&
         write.mode == ahead.write.mode && end.kind == ahead.reached.kind && end.spin == ahead.reached.spin &&
         rounds_.same(direct, ahead.state);
}

std::unique_ptr<LocalState> Attempts::judge(const LocalState& now) {
  if (now.action.kind != ActionKind::Write || !now.action.rmw || now.state.blocks) return nullptr;
  const LocalState& last = *now.parent;
  if (last.action.part != Part::Rmw || last.action.barrier || !is_global(last)) return nullptr;
  Ahead ahead{&last, now.answer, last.state, {}, {}};
  if (!goes_on(ahead.state, last.action, now.answer, ahead.write, ahead.reached)) return nullptr;
  std::map<std::uint64_t, std::uint64_t> sums; // by address: what was added so far
  const LocalState *behind = nullptr, *before = &last;
  int left = longest_run;
  for (const LocalState* at = last.parent; at && left-- > 0; behind = before, before = at, at = at->parent) {
    const Action& a = at->action;
    if (adds(*at, machine_.program()) && is_global(*at))
      sums[a.address] = (sums[a.address] + a.value - at->answer) & mask_of(8u * a.size);
    else if (!is_quiet(*at))
      return nullptr;
    if (balanced(sums) && leads_to(*at, ahead)) {
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

bool Attempts::is_indifferent(const LocalState& read, std::uint64_t one, std::uint64_t other) {
  if (one == other) return true;
  if (!machine_.satisfied(read.state, read.action, other)) return false;
  ThreadState a = read.state, b = read.state;
  Action write, first, second;
  if (goes_on(a, read.action, one, write, first) != goes_on(b, read.action, other, write, second)) return false;
  return first.kind == second.kind && first.spin == second.spin && rounds_.same(a, b);
}

} // namespace fencepost
