#include "vm/undone.hpp"

#include "vm/arithmetic.hpp"

#include <algorithm>
#include <map>

namespace fencepost {
namespace {

// What a look of three or four words is about.
constexpr std::uint64_t reads = 0, frees = 1, ends = 2, writes = 3, writes_plainly = 4;
// What a row of four words is about.
constexpr std::uint64_t others_wrote = 0, read = 1, plain_read = 2;

// What the writes of a round did to a location: value before, values written, oldest first.
struct Written {
  std::vector<std::uint64_t> values;
  bool by_others = false; // in between
};

std::map<std::uint64_t, Written> written(const LocalState& blocked) {
  std::map<std::uint64_t, Written> found;
  const std::uint64_t first = blocked.action.attempt ? blocked.action.high : blocked.action.value;
  for (const LocalState* s = blocked.parent; s && s->state.events >= first; s = s->parent) {
    if (s->action.kind != ActionKind::Write || !s->action.rmw) continue;
    auto& [values, by_others] = found[s->action.address];
    if (!values.empty()) {
      by_others |= values.front() != s->action.value;
      values.erase(values.begin()); // what it was before is known from an older one
    }
    values.insert(values.begin(), {s->answer, s->action.value});
  }
  return found;
}

// Whether memory at this address may be gone because of what the row tells.
bool takes(const UndoneRounds::Row& look, std::uint64_t address) {
  const std::uint64_t region = layout::region(address);
  if (look[2] == frees && look[3] != 0) return address - look[0] < look[3];
  if (look[2] == frees) return region == layout::heap && layout::owner(address) == layout::owner(look[0]);
  return region == layout::stack && layout::owner(address) == static_cast<int>(look[1]);
}

// Whether a row is about a use of a place or about what ends memory, not about who looks between.
bool is_use(const UndoneRounds::Row& look) { return look.size() == 3 || look.size() == 4; }

} // namespace

// How large what a thread has just allocated is. Others may free it, who know only where it begins.
void UndoneRounds::note_memory(const LocalState& s) {
  const auto& now = s.state.allocations;
  const std::size_t before = s.parent ? s.parent->state.allocations.size() : 0;
  for (std::size_t k = std::min(before, now.size()); k < now.size(); ++k)
    if (now[k].heap) sizes_[now[k].address] = std::max(sizes_[now[k].address], now[k].size);
}

// Where only the first thread starts others, it is alone when it has joined as many as it has started.
void UndoneRounds::note_use(const LocalState& s) {
  const Action& a = s.action;
  const bool uses = a.kind == ActionKind::Read || a.kind == ActionKind::Write;
  if (a.kind == ActionKind::Spawn && s.state.thread != 0 && !others_start_) {
    others_start_ = true;
    looks.merge(alone_);
  }
  if (!uses && a.kind != ActionKind::Free && (a.kind != ActionKind::End || a.process)) return;
  const std::uint64_t write = a.mode == Mode::Na ? writes_plainly : writes;
  const std::uint64_t use = a.kind == ActionKind::Write ? write : reads;
  const std::uint64_t what = uses ? use : a.kind == ActionKind::Free ? frees : ends;
  const bool alone = s.state.thread == 0 && s.running == 0 && !others_start_;
  Row row{a.address, s.state.thread, what};
  if (what == frees) row.push_back(sizes_.contains(a.address) ? sizes_[a.address] : 0);
  (alone ? alone_ : looks).insert(std::move(row));
}

// What was read in a round that is left out. Not what it reads first: whatever it found, the thread reads that place
// again as soon as it goes on, and who is not in order with the one read is not with the other.
void UndoneRounds::note_reads(const LocalState& blocked) {
  const auto each = [&](const auto& f) {
    for (const LocalState* r = blocked.parent; r && r->state.events >= blocked.action.value; r = r->parent)
      if (r->action.kind == ActionKind::Read) f(r->action);
  };
  const Action* first = nullptr;
  each([&](const Action& r) { first = &r; });
  each([&](const Action& r) {
    const bool plain = r.mode == Mode::Na;
    if (r.address == first->address && plain == (first->mode == Mode::Na)) return;
    between.insert({r.address, blocked.state.thread, blocked.action.loop, plain ? plain_read : read});
  });
}

// Whether nobody can tell by which value a wait was served.
bool UndoneRounds::forgets(const LocalState& s) const {
  return (program_.code[s.state.pc].flags & flag::forgets) != 0 || liveness_.is_unused(s.state.pc);
}

void UndoneRounds::note(const LocalState& s, const Machine& machine) {
  const Action& a = s.action;
  note_memory(s);
  note_use(s);
  if (a.kind == ActionKind::Block && a.kept)
    for (const LocalState* w = s.parent; w && w->state.events >= a.value; w = w->parent)
      if (w->action.kind == ActionKind::Write && !w->action.rmw)
        between.insert({w->action.address, s.state.thread, a.loop});
  if (!old_values_) return;
  if (a.kind == ActionKind::Block && a.spin) note_reads(s);
  if (a.kind == ActionKind::Block && a.undone != a.attempt) {
    for (const auto& [address, done] : written(s)) {
      const std::uint64_t thread = s.state.thread;
      // Of attempts the graph says what others wrote: Engine::note_between.
      if (done.by_others && !a.attempt) between.insert({address, thread, a.loop, others_wrote});
      for (std::size_t k = 1; k + 1 < done.values.size(); ++k)
        if (done.values[k] != done.values[0]) between.insert({address, thread, a.loop, done.values[0], done.values[k]});
    }
  } else if (a.kind == ActionKind::Read && a.part == Part::Await && forgets(s)) {
    Row row{a.address, s.state.thread};
    const auto wanted = machine.waits_for(s.state);
    row.insert(row.end(), wanted.begin(), wanted.end());
    looks.insert(std::move(row));
  } else if (a.kind == ActionKind::Read && a.part != Part::Rmw && a.part != Part::BlockingCas) {
    looks.insert({a.address, s.state.thread});
  }
}

bool UndoneRounds::is_read(const Row& between) { return between.size() == 4 && between[3] != others_wrote; }

bool UndoneRounds::seen(const Row& between, const Row& look) {
  FP_ASSERT(between.size() >= 3 && between.size() <= 5, "what was between should have three to five words");
  FP_ASSERT(look.size() == 2 || is_use(look) || look.size() == 6, "a look should have two to four or six words");
  const bool was_read = is_read(between);
  if ((between.size() == 3 || was_read) != is_use(look)) return false;
  if (is_use(look) && (look[2] == frees || look[2] == ends)) return between[1] != look[1] && takes(look, between[0]);
  if (between[0] != look[0] || between[1] == look[1]) return false;
  if (was_read) return look[2] == writes_plainly || (look[2] == writes && between[3] == plain_read);
  if (look.size() < 6 || between.size() == 4) return true;
  const auto served = [&](std::uint64_t v) {
    std::optional<Fault> none;
    const auto bits = static_cast<std::uint8_t>(look[3]);
    return compute(static_cast<Op>(look[2]), bits, v & look[4], look[5], 0, none) != 0;
  };
  return served(between[4]) && !served(between[3]);
}

} // namespace fencepost
