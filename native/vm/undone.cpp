#include "vm/undone.hpp"

#include "vm/arithmetic.hpp"

#include <algorithm>
#include <map>

namespace fencepost {
namespace {

// What the writes of a round did to a location: value before, values written, oldest first.
struct Written {
  std::vector<std::uint64_t> values;
  bool by_others = false; // in between
};

using Place = std::pair<std::uint64_t, std::uint8_t>; // address and size

std::map<Place, Written> written(const LocalState& blocked) {
  std::map<Place, Written> found;
  const std::uint64_t first = blocked.action.attempt ? blocked.action.high : blocked.action.value;
  for (const LocalState* s = blocked.parent; s && s->state.events >= first; s = s->parent) {
    if (s->action.kind != ActionKind::Write || !s->action.rmw) continue;
    auto& [values, by_others] = found[{s->action.address, s->action.size}];
    if (!values.empty()) {
      by_others |= values.front() != s->action.value;
      values.erase(values.begin()); // what it was before is known from an older one
    }
    values.insert(values.begin(), {s->answer, s->action.value});
  }
  return found;
}

// Whether what the one does to memory may take it from the other.
bool takes(const Look& look, std::uint64_t address) {
  const std::uint64_t region = layout::region(address);
  if (look.kind == Look::Kind::Frees && look.bytes != 0) return address - look.address < look.bytes;
  if (look.kind == Look::Kind::Frees)
    return region == layout::heap && layout::owner(address) == layout::owner(look.address);
  return region == layout::stack && layout::owner(address) == static_cast<int>(look.thread);
}

// Whether a wait is served by the value in between and not by the one that would be there without the round.
bool is_served(const Between& between, const Look& wait) {
  if (between.address != wait.address || between.size != wait.size) return true;
  const auto served = [&](std::uint64_t v) {
    std::optional<Fault> none;
    return compute(wait.op, wait.bits, v & wait.mask, wait.operand, 0, none) != 0;
  };
  return served(between.was) && !served(between.without);
}

// What a thread is about to do to a place.
Look at(const LocalState& s, Look::Kind kind) {
  Look look;
  look.kind = kind;
  look.size = s.action.size;
  look.thread = s.state.thread;
  look.address = s.action.address;
  return look;
}

Look::Kind use_of(const Action& a) {
  if (a.kind == ActionKind::Free) return Look::Kind::Frees;
  if (a.kind == ActionKind::End) return Look::Kind::Ends;
  if (a.kind == ActionKind::Read) return Look::Kind::Reads;
  return a.mode == Mode::Na ? Look::Kind::WritesPlainly : Look::Kind::Writes;
}

} // namespace

// How large what a thread has just allocated is. Others may free it, who know only where it begins; they are the same
// states where something larger begins there, so that the sizes are put to the frees in the end.
void UndoneRounds::note_memory(const LocalState& s) {
  const auto& now = s.state.allocations;
  const std::size_t before = s.parent ? s.parent->state.allocations.size() : 0;
  for (std::size_t k = std::min(before, now.size()); k < now.size(); ++k)
    if (now[k].heap) sizes_[now[k].address] = std::max(sizes_[now[k].address], now[k].size);
}

std::set<Look> UndoneRounds::looks() const {
  std::set<Look> found;
  for (Look look : looks_) {
    const auto size = sizes_.find(look.address);
    if (look.kind == Look::Kind::Frees && size != sizes_.end()) look.bytes = size->second;
    found.insert(look);
  }
  return found;
}

// Where only the first thread starts others, it is alone when it has joined as many as it has started.
void UndoneRounds::note_use(const LocalState& s) {
  const Action& a = s.action;
  const bool uses = a.kind == ActionKind::Read || a.kind == ActionKind::Write;
  if (a.kind == ActionKind::Spawn && s.state.thread != 0 && !others_start_) {
    others_start_ = true;
    looks_.merge(alone_);
  }
  if (!uses && a.kind != ActionKind::Free && (a.kind != ActionKind::End || a.process)) return;
  const bool alone = s.state.thread == 0 && s.running == 0 && !others_start_;
  Look look = at(s, use_of(a));
  if (ordered_) look.follows = Look::nobody;
  (alone ? alone_ : looks_).insert(look);
}

void UndoneRounds::note_late(const LocalState& s, std::uint32_t other) {
  FP_ASSERT(ordered_, "only who is told the order should ask for it");
  Look look = at(s, use_of(s.action));
  look.follows = static_cast<std::int32_t>(other);
  looks_.insert(look);
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
    const bool again = r.address >= first->address && r.address + r.size <= first->address + first->size;
    if (again && plain == (first->mode == Mode::Na)) return;
    const auto read = plain ? Between::Kind::PlainRead : Between::Kind::Read;
    between.insert(
        {races_ ? read : Between::Kind::Touched, r.size, blocked.state.thread, blocked.action.loop, r.address});
  });
}

// Whether nobody can tell by which value a wait was served.
bool UndoneRounds::forgets(const LocalState& s) const {
  return (program_.code[s.state.pc].flags & flag::forgets) != 0 || liveness_.is_unused(s.state.pc);
}

// What was there in the middle of a round that takes back what it adds.
void UndoneRounds::note_values(const LocalState& blocked) {
  const Action& a = blocked.action;
  const std::uint32_t thread = blocked.state.thread;
  for (const auto& [place, done] : written(blocked)) {
    const auto [address, size] = place;
    // Of attempts the graph says what others wrote: Engine::note_between.
    if (done.by_others && !a.attempt) between.insert({Between::Kind::ByOthers, size, thread, a.loop, address});
    for (std::size_t k = 1; k + 1 < done.values.size(); ++k)
      if (done.values[k] != done.values[0])
        between.insert({Between::Kind::Value, size, thread, a.loop, address, done.values[0], done.values[k]});
  }
}

void UndoneRounds::note_look(const LocalState& s, const Machine& machine) {
  const Action& a = s.action;
  if (a.part == Part::Rmw || a.part == Part::BlockingCas) return;
  Look look = at(s, Look::Kind::Finds);
  if (a.part == Part::Await && forgets(s)) {
    const auto [op, bits, mask, operand] = machine.waits_for(s.state);
    look.kind = Look::Kind::Waits;
    look.op = static_cast<Op>(op);
    look.bits = static_cast<std::uint8_t>(bits);
    look.mask = mask;
    look.operand = operand;
  }
  looks_.insert(look);
}

void UndoneRounds::note(const LocalState& s, const Machine& machine) {
  const Action& a = s.action;
  note_memory(s);
  note_use(s);
  if (a.kind == ActionKind::Block && a.kept)
    for (const LocalState* w = s.parent; w && w->state.events >= a.value; w = w->parent)
      if (w->action.kind == ActionKind::Write && !w->action.rmw)
        between.insert({Between::Kind::Stored, w->action.size, s.state.thread, a.loop, w->action.address});
  if (!old_values_) return;
  if (a.kind == ActionKind::Block && a.spin) note_reads(s);
  if (a.kind == ActionKind::Block && a.undone != a.attempt) note_values(s);
  if (a.kind == ActionKind::Read) note_look(s, machine);
}

bool meet(const Between& between, const Look& look) {
  using Kind = Look::Kind;
  if (between.is_read() && look.follows != Look::anybody) { // kin may have each other's names
    if (look.follows != static_cast<std::int32_t>(between.thread)) return false;
  } else if (between.thread == look.thread) {
    return false;
  }
  const bool values = between.kind == Between::Kind::Value || between.kind == Between::Kind::ByOthers;
  if (look.kind == Kind::Frees || look.kind == Kind::Ends) return !values && takes(look, between.address);
  if (between.address >= look.address + look.size || look.address >= between.address + between.size) return false;
  const bool uses = look.kind != Kind::Finds && look.kind != Kind::Waits;
  switch (between.kind) {
  case Between::Kind::Stored:
    return uses;
  case Between::Kind::Read:
    return look.kind == Kind::WritesPlainly;
  case Between::Kind::PlainRead:
    return look.kind == Kind::WritesPlainly || look.kind == Kind::Writes;
  case Between::Kind::Touched:
    return false;
  case Between::Kind::ByOthers:
    return !uses;
  default:
    return look.kind == Kind::Finds || (look.kind == Kind::Waits && is_served(between, look));
  }
}

} // namespace fencepost
