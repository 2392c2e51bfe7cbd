#include "vm/rounds.hpp"

#include <algorithm>

namespace fencepost {
namespace {

// How much order a read makes.
int strength(Mode m) {
  switch (m) {
  case Mode::Sc:
    return 3;
  case Mode::Acq:
  case Mode::AcqRel:
    return 2;
  case Mode::AcqPc:
    return 1;
  default:
    return 0;
  }
}

// The mode of a read that no write follows.
Mode mode_of(const Action& a) { return a.part == Part::Cas ? a.failure : a.mode; }

// Memory grows when it is first used: what was not there yet is as good as zero.
bool same_bytes(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  const std::vector<std::uint8_t>&shorter = a.size() < b.size() ? a : b, &longer = a.size() < b.size() ? b : a;
  const auto rest = std::mismatch(shorter.begin(), shorter.end(), longer.begin());
  return rest.first == shorter.end() && std::all_of(rest.second, longer.end(), [](auto byte) { return byte == 0; });
}

} // namespace

bool is_quiet(const LocalState& event) {
  const Action& a = event.action;
  if (event.state.blocks) return false;
  if (a.kind == ActionKind::Fence) return true;
  if (event.mixed || layout::region(a.address) != 0) return false; // memory that may be gone
  if (a.kind == ActionKind::Read) return a.mode != Mode::Na && a.part != Part::Exclusive;
  return a.kind == ActionKind::Write && a.rmw && event.parent && a.value == event.answer;
}

bool adds(const LocalState& event, const Bytecode& program) {
  if (event.action.kind != ActionKind::Write || !event.action.rmw || event.state.blocks) return false;
  const Instruction& i = program.code[event.state.pc];
  return i.mode != Mode::Na && adds(i);
}

bool Rounds::same(const ThreadState& a, const ThreadState& b) const {
  if (a.pc != b.pc || a.depth != b.depth || a.base != b.base || a.function != b.function || a.blocks != b.blocks ||
      a.write_pending || b.write_pending || a.piece || b.piece || !a.reserved.empty() || !b.reserved.empty() ||
      a.private_top != b.private_top || a.stack_top != b.stack_top || a.heap_top != b.heap_top ||
      a.private_objects != b.private_objects || a.ended != b.ended || a.stack.size() != b.stack.size() ||
      a.local_bytes != b.local_bytes || !same_bytes(a.private_bytes, b.private_bytes) ||
      !same_bytes(a.private_unset, b.private_unset) || !same_bytes(a.local_unset, b.local_unset))
    return false;
  ThreadState x = a, y = b;
  liveness_.forget(x);
  liveness_.forget(y);
  return x.stack == y.stack && x.unset == y.unset;
}

Rounds::Ahead Rounds::ahead(const LocalState& read, std::uint64_t value) const {
  Ahead found{read.state, {}, {}};
  found.state.spins.clear(); // what was met in loops before says nothing about this way
  machine_.reply(found.state, read.action, value);
  found.reached = machine_.run(found.state);
  found.writes = found.reached.kind == ActionKind::Write && found.reached.rmw;
  if (!found.writes) return found;
  found.write = found.reached;
  machine_.reply(found.state, found.write, 0);
  found.reached = machine_.run(found.state);
  return found;
}

bool Rounds::alike(const Ahead& a, const Ahead& b) const {
  return a.reached.kind == b.reached.kind && a.reached.spin == b.reached.spin && same(a.state, b.state);
}

bool Rounds::may_be_made_at(const LocalState& from, const LocalState& last, std::uint64_t value,
                            const Ahead& found) const {
  const Action &a = from.action, &r = last.action;
  FP_ASSERT(from.state.thread == last.state.thread, "a shortcut should be one of the same thread");
  if (a.kind != ActionKind::Read || !updates(a.part) || a.lock || a.address != r.address || a.size != r.size ||
      a.mode != r.mode || !machine_.satisfied(from.state, a, value))
    return false;
  const Ahead direct = ahead(from, value);
  return direct.writes && direct.write.value == found.write.value && alike(direct, found);
}

// Whether from `from` the last read alone leads to where the whole run led.
bool Rounds::is_shortcut(const LocalState& from, const LocalState& last, const LocalState& now) {
  const Action &a = from.action, &r = last.action;
  if (a.address != r.address || a.size != r.size || strength(mode_of(a)) > strength(mode_of(r))) return false;
  if (!machine_.satisfied(from.state, a, now.answer)) return false;
  FP_ASSERT(from.state.thread == now.state.thread, "a shortcut should be one of the same thread");
  ThreadState s = from.state;
  machine_.reply(s, a, now.answer);
  const Action reached = machine_.run(s);
  return reached.kind == now.action.kind && reached.spin == now.action.spin && same(s, now.state);
}

std::uint32_t Rounds::loop_of(const LocalState& now) const {
  const Bytecode& p = machine_.program();
  const Function& f = p.functions[now.state.function];
  if (!now.state.spins.empty())
    for (std::uint32_t pc = f.start; pc < f.start + f.length; ++pc)
      if (p.code[pc].opcode == Opcode::SpinHead && p.code[pc].number == now.state.spins.back().loop)
        return p.code[pc].position;
  return now.action.position;
}

// Likewise an update that is about to write: made where the run began it would write the same and lead to the same. Its
// thread stops before it writes. One that writes what it found goes on: it may be a round of a loop that hangs, and
// that is told where the loop begins again.
void Rounds::judge_update(LocalState& now) const {
  const LocalState& last = *now.parent;
  const Action& r = last.action;
  if (!with_updates_ || !now.action.rmw || now.state.blocks || last.mixed || r.kind != ActionKind::Read || r.lock ||
      r.barrier || layout::region(r.address) != 0 || now.action.value == now.answer)
    return;
  const Ahead found = ahead(last, now.answer);
  const LocalState* since = nullptr;
  int left = longest_run;
  for (const LocalState* at = last.parent; at && left-- > 0 && is_quiet(*at); at = at->parent)
    if (may_be_made_at(*at, last, now.answer, found)) since = at;
  if (!since) return;
  const std::uint32_t position = r.position;
  now.action = {};
  now.action.kind = ActionKind::Block;
  now.action.shortcut = now.action.silent = true;
  now.action.position = position;
  now.action.value = since->state.events;
}

void Rounds::judge(LocalState& now) {
  const Action met = now.action;
  FP_ASSERT(!now.parent || now.parent->state.thread == now.state.thread, "a state should have its own thread's parent");
  const bool spins = met.kind == ActionKind::Block && met.spin && !met.alone && !met.undone;
  if (!now.parent || met.kind == ActionKind::Error) return;
  if (now.state.write_pending) return judge_update(now);
  if (met.kind == ActionKind::Block && !spins) return;
  const LocalState& last = *now.parent;
  if (last.action.kind != ActionKind::Read) return;
  bool round = spins, shortcut = false;
  std::uint64_t since = spins ? met.value : UINT64_MAX, quiet_since = UINT64_MAX;
  int left = longest_run;
  for (const LocalState* at = &last; at && left-- > 0 && is_quiet(*at); at = at->parent) {
    quiet_since = at->state.events;
    if (at->action.kind != ActionKind::Read) continue;
    if (!round && same(at->state, now.state)) {
      round = true;
      since = quiet_since;
    } else if (at != &last && is_shortcut(*at, last, now)) {
      shortcut = true;
      since = std::min(since, quiet_since);
    }
  }
  if (!round && !shortcut) return;
  Action& block = now.action;
  if (!spins) {
    block = {};
    block.kind = ActionKind::Block;
    block.spin = round;
    block.shortcut = !round;
    block.position = met.position;
    block.loop = round ? loop_of(now) : 0;
    if (round) block.position = block.loop;
  }
  FP_ASSERT(since != UINT64_MAX, "a run that leads nowhere should have a beginning");
  FP_ASSERT(since <= now.state.events, "a run that leads nowhere should begin before it ends");
  block.value = since;
  block.silent = quiet_since <= since;
}

} // namespace fencepost
