#include "vm/undone.hpp"

#include "vm/arithmetic.hpp"

#include <map>

namespace fencepost {
namespace {

// What the writes of a round did to each location, oldest first: value before, values written.
std::map<std::uint64_t, std::vector<std::uint64_t>> written(const LocalState& blocked) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> found;
  const std::uint64_t first = blocked.action.attempt ? blocked.action.high : blocked.action.value;
  for (const LocalState* s = blocked.parent; s && s->state.events >= first; s = s->parent) {
    if (s->action.kind != ActionKind::Write || !s->action.rmw) continue;
    auto& values = found[s->action.address];
    if (!values.empty()) values.erase(values.begin()); // what it was before is known from an older one
    values.insert(values.begin(), {s->answer, s->action.value});
  }
  return found;
}

} // namespace

void UndoneRounds::note(const LocalState& s, const Machine& machine) {
  const Action& a = s.action;
  if (a.kind == ActionKind::Block && a.undone != a.attempt) {
    for (const auto& [address, values] : written(s))
      for (std::size_t k = 1; k + 1 < values.size(); ++k)
        if (values[k] != values[0]) between.insert({address, s.state.thread, a.loop, values[0], values[k]});
  } else if (a.kind == ActionKind::Read && a.part == Part::Await) {
    Row row{a.address, s.state.thread};
    const auto wanted = machine.waits_for(s.state);
    row.insert(row.end(), wanted.begin(), wanted.end());
    looks.insert(std::move(row));
  } else if (a.kind == ActionKind::Read && a.part != Part::Rmw && a.part != Part::BlockingCas) {
    looks.insert({a.address, s.state.thread});
  }
}

bool UndoneRounds::seen(const Row& between, const Row& look) {
  FP_ASSERT(between.size() == 5, "what was between should have its five words");
  FP_ASSERT(look.size() == 2 || look.size() == 6, "a look should have two words, or six where it waits");
  if (between[0] != look[0] || between[1] == look[1]) return false;
  if (look.size() == 2) return true;
  const auto served = [&](std::uint64_t v) {
    std::optional<Fault> none;
    const auto bits = static_cast<std::uint8_t>(look[3]);
    return compute(static_cast<Op>(look[2]), bits, v & look[4], look[5], 0, none) != 0;
  };
  return served(between[4]) && !served(between[3]);
}

} // namespace fencepost
