#include "vm/prologue.hpp"

#include <algorithm>

namespace fencepost {
namespace {

constexpr std::size_t most = 1'000'000; // steps: what does more may never end

bool copies(const Machine& machine, const ThreadState& s) {
  const Instruction& i = machine.program().code[s.pc];
  return i.opcode == Opcode::Load && i.flags & flag::copies;
}

// Nothing that was read or done there orders anything later: it is over before anybody else is there.
void forget(ThreadState& s) {
  s.events = 0;
  s.spins.clear();
  s.control = 0;
  for (auto* deps : {&s.deps, &s.private_deps, &s.local_deps})
    std::fill(deps->begin(), deps->end(), 0);
}

} // namespace

std::optional<Action> Prologue::run(Machine& machine, ThreadState& state, std::uint32_t least) {
  clear();
  while (steps_.size() < most) {
    const Action action = machine.run(state);
    if (take(machine, state, action)) continue;
    // Half of a read-modify-write, or of an access in pieces, is not left to the engine.
    if (steps_.size() < least || state.piece || state.write_pending) break;
    forget(state);
    return action;
  }
  clear();
  return {};
}

void Prologue::clear() {
  words_.clear();
  byte_.clear();
  freed_.clear();
  steps_.clear();
}

// Does the action and answers it, or leaves it as it is.
bool Prologue::take(Machine& machine, ThreadState& state, const Action& a) {
  Step step{a.kind, a.mode, a.fence, a.rmw, a.noreturn, a.size, a.address, a.value, a.position, untouched};
  switch (a.kind) {
  case ActionKind::Read:
    if (a.part == Part::Exclusive || !valid(machine, state, a)) return false;
    step.value = value(machine.program(), a.address, a.size);
    if (!machine.satisfied(state, a, step.value)) return false;
    step.reads_from = writer(a.address, a.size);
    break;
  case ActionKind::Write:
    if (a.conditional >= 0 || !valid(machine, state, a)) return false;
    if (a.rmw) steps_.back().rmw = true;
    write(a);
    break;
  case ActionKind::Free: {
    const auto own = [&](const Allocation& o) { return o.heap && o.address == a.address && o.made_by == a.made_by; };
    const auto& all = state.allocations;
    if (a.address && (std::none_of(all.begin(), all.end(), own) || freed(a.address))) return false;
    freed_.insert(a.address);
    break;
  }
  case ActionKind::Fence:
    break;
  default:
    return false;
  }
  machine.reply(state, a, step.value);
  steps_.push_back(step);
  return true;
}

// Whether an access is beyond all doubt: the engine reports the others.
bool Prologue::valid(const Machine& machine, const ThreadState& state, const Action& a) const {
  const std::uint64_t region = layout::region(a.address);
  if (region != layout::heap && region != layout::stack) return a.address >= layout::globals && region == 0;
  const auto& all = state.allocations;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Allocation& o) {
    return a.address >= o.address && a.address - o.address < std::max<std::uint64_t>(o.size, 1);
  });
  if (found == all.rend() || a.address - found->address + a.size > found->size || freed(found->address)) return false;
  return a.kind == ActionKind::Write || found->zeroed || wrote(a.address, a.size) || copies(machine, state);
}

void Prologue::write(const Action& a) {
  for (unsigned k = 0; k < a.size; ++k) {
    const std::uint64_t at = a.address + k;
    Word& word = words_[at >> 3];
    const unsigned shift = 8 * (at & 7);
    word.bytes = (word.bytes & ~(std::uint64_t{0xFF} << shift)) | (a.value >> (8 * k) & 0xFF) << shift;
    word.written |= static_cast<std::uint8_t>(1u << (at & 7));
    byte_[at] = static_cast<std::int32_t>(steps_.size());
  }
}

std::uint64_t Prologue::value(const Bytecode& program, std::uint64_t address, unsigned size) const {
  std::uint64_t found = initial_value(program, address, size);
  for (unsigned k = 0; k < size; ++k) {
    const auto word = words_.find((address + k) >> 3);
    if (word == words_.end() || !(word->second.written >> ((address + k) & 7) & 1)) continue;
    const std::uint64_t byte = word->second.bytes >> 8 * ((address + k) & 7) & 0xFF;
    found = (found & ~(std::uint64_t{0xFF} << 8 * k)) | byte << 8 * k;
  }
  return found;
}

bool Prologue::wrote(std::uint64_t address, unsigned size) const {
  for (unsigned k = 0; k < size; ++k)
    if (!byte_.contains(address + k)) return false;
  return true;
}

std::int32_t Prologue::writer(std::uint64_t address, unsigned size) const {
  std::int32_t found = untouched;
  for (unsigned k = 0; k < size; ++k) {
    const auto last = byte_.find(address + k);
    const std::int32_t by = last == byte_.end() ? untouched : last->second;
    if (k > 0 && by != found) return in_parts;
    found = by;
  }
  if (found < 0) return found;
  const Step& step = steps_[static_cast<std::size_t>(found)];
  return step.address == address && step.size == size ? found : in_parts;
}

} // namespace fencepost
