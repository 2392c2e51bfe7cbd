#include "vm/local_states.hpp"

#include "vm/attempts.hpp"
#include "vm/rounds.hpp"
#include "vm/undone.hpp"

#include <algorithm>

namespace fencepost {
namespace {

constexpr std::int32_t many = INT32_MAX / 2; // threads that nobody started

std::size_t size_of(const LocalState& s) {
  return sizeof(LocalState) + s.state.stack.capacity() * 8 + s.state.deps.capacity() * 4 +
         s.state.private_bytes.capacity() + s.state.private_unset.capacity() + s.state.unset.capacity() * 8 +
         s.state.private_objects.capacity() * 8 + s.state.local_bytes.capacity() +
         s.state.allocations.capacity() * sizeof(Allocation) + s.state.live.capacity() * sizeof(Live) +
         s.state.spins.capacity() * sizeof(ThreadState::Spin) + 64;
}

} // namespace

Location Locations::find(std::uint64_t address, unsigned size) {
  FP_REQUIRE(size > 0 && size <= 8, "a place should have one to eight bytes");
  auto& near = by_granule_[address >> 3];
  for (const Location l : near) {
    const Place& p = places_[l];
    if (p.address == address && p.size == size) return l;
    if (p.address < address + size && address < p.address + p.size) return no_location;
  }
  const auto fresh = static_cast<Location>(places_.size());
  FP_REQUIRE(fresh != no_location, "there should be a number for each place");
  places_.push_back({address, prologue_.value(program_, address, size), size});
  near.push_back(fresh);
  return fresh;
}

std::vector<std::uint64_t> Locations::cuts(std::uint64_t address, unsigned size) const {
  std::vector<std::uint64_t> found;
  const auto near = by_granule_.find(address >> 3);
  if (near == by_granule_.end()) return found;
  for (const Location l : near->second) {
    const Place& p = places_[l];
    const std::uint64_t end = address + size, p_end = p.address + p.size;
    if (p.address >= end || address >= p_end) continue;
    for (const std::uint64_t at : {address, end, p.address, p_end})
      if ((at > address && at < end) || (at > p.address && at < p_end)) found.push_back(at);
  }
  return found;
}

// Not where dependencies are tracked: there a register is more than its value.
LocalStates::LocalStates(const Bytecode& program, bool track_dependencies, MachineLimits limits,
                         std::shared_ptr<ThreadNumbers> numbers)
    : machine_(program, track_dependencies, limits), least_(program.threads.size() == 1 ? limits.prologue : 0),
      locations_(program, prologue_), numbers_(std::move(numbers)) {
  FP_REQUIRE(numbers_ != nullptr, "threads should have numbers");
  if (limits.shortcuts && !track_dependencies) rounds_ = std::make_unique<Rounds>(machine_, limits.keeps);
  const auto undoes = [](const Instruction& i) { return i.opcode == Opcode::SpinHead && i.flags & flag::undoes; };
  const auto spins = [](const Instruction& i) { return i.opcode == Opcode::SpinHead; };
  const bool any = std::any_of(program.code.begin(), program.code.end(), undoes);
  if (any && rounds_) attempts_ = std::make_unique<Attempts>(machine_, *rounds_);
  const bool old_values = limits.old_values && std::any_of(program.code.begin(), program.code.end(), spins);
  const auto block = [](const Instruction& i) { return i.opcode == Opcode::AtomicBegin; };
  const bool blocks = std::any_of(program.code.begin(), program.code.end(), block);
  goes_round_ = attempts_ && limits.keeps && !blocks;
  const bool ordered = limits.ordered && !blocks;
  if (old_values || (any && limits.keeps))
    undone_ = std::make_unique<UndoneRounds>(program, limits.old_values, ordered, limits.races);
}

LocalStates::~LocalStates() = default;

LocalState* LocalStates::adopt(std::unique_ptr<LocalState> fresh) {
  const Action& a = fresh->action;
  if (a.kind == ActionKind::Read || a.kind == ActionKind::Write) {
    FP_ASSERT(a.size > 0, "an access should have a size");
    fresh->location = locations_.find(a.address, a.size);
    fresh->mixed = fresh->location == no_location;
  }
  if (undone_) undone_->note(*fresh, machine_);
  bytes_ += size_of(*fresh);
  states_.push_back(std::move(fresh));
  return states_.back().get();
}

LocalState* LocalStates::first(std::uint32_t thread, std::uint32_t function, const std::vector<std::uint64_t>& args) {
  const auto key = std::tuple{thread, function, args};
  const auto known = first_.find(key);
  if (known != first_.end()) return known->second;
  auto fresh = std::make_unique<LocalState>();
  fresh->state = machine_.start(thread, function, args);
  fresh->action = begin(fresh->state);
  if (machine_.program().threads.size() > 1) fresh->running = many;
  return first_[key] = adopt(std::move(fresh));
}

const LocalStates::Start& LocalStates::start_of(const LocalState& state) const {
  const auto found =
      std::find_if(first_.begin(), first_.end(), [&](const auto& known) { return known.second == &state; });
  FP_REQUIRE(found != first_.end(), "the first state of a thread should be known");
  return found->first;
}

// Runs a thread up to its first action, which for the first thread may be the one behind its prologue.
Action LocalStates::begin(ThreadState& state) {
  if (state.thread == 0 && least_ > 0) {
    const ThreadState start = state;
    if (const auto behind = prologue_.run(machine_, state, least_)) return *behind;
    state = start;
  }
  return machine_.run(state);
}

LocalState* LocalStates::compute_next(LocalState* state, std::uint64_t answer) {
  const ActionKind kind = state->action.kind;
  FP_REQUIRE(kind != ActionKind::End && kind != ActionKind::Error && kind != ActionKind::Block,
             "a thread that has ended should not go on");
  auto fresh = std::make_unique<LocalState>();
  fresh->state = state->state;
  machine_.reply(fresh->state, state->action, answer);
  fresh->action = machine_.run(fresh->state);
  fresh->parent = state;
  fresh->answer = answer;
  fresh->running = state->running + (kind == ActionKind::Spawn ? 1 : kind == ActionKind::Join ? -1 : 0);
  if (goes_round_ && attempts_->is_told_by_next(*fresh)) fresh->action = machine_.run_past(fresh->state);
  std::unique_ptr<LocalState> stopped;
  while (auto found = attempts_ ? Attempts::judge_head(*fresh) : nullptr) {
    if (!stopped) stopped = std::move(found);
    fresh->action = machine_.run_past(fresh->state);
  }
  if (rounds_) rounds_->judge(*fresh);
  LocalState* kept = adopt(std::move(fresh));
  state->add_child(kept);
  if (attempts_ && !stopped) stopped = attempts_->judge(*kept);
  if (stopped) kept->stopped = adopt(std::move(stopped));
  return kept;
}

LocalState* LocalStates::told(LocalState* state, bool success) {
  FP_REQUIRE(state->action.kind == ActionKind::Read && state->action.part == Part::Cas,
             "only a compare-exchange should be told how it comes out");
  FP_ASSERT(!state->told, "a compare-exchange should be told once");
  LocalState*& twin = state->twins[success ? 1 : 0];
  if (twin != nullptr) return twin;
  auto fresh = std::make_unique<LocalState>();
  fresh->state = state->state;
  fresh->action = state->action;
  fresh->action.foretold = success ? 1 : 0;
  fresh->parent = state;
  fresh->running = state->running;
  fresh->answer = success ? 1 : 0;
  fresh->told = true;
  return twin = adopt(std::move(fresh));
}

std::uint32_t ThreadNumbers::of(std::uint32_t parent, std::uint32_t which) {
  std::lock_guard lock(mutex_);
  const auto [found, fresh] = known_.try_emplace({parent, which}, next_);
  next_ += fresh;
  return found->second;
}

void ThreadNumbers::know(std::uint32_t parent, std::uint32_t which, std::uint32_t number) {
  std::lock_guard lock(mutex_);
  const auto [found, fresh] = known_.try_emplace({parent, which}, number);
  const auto same = [&](const auto& k) { return k.second == number; };
  if (found->second != number || (fresh && std::count_if(known_.begin(), known_.end(), same) > 1))
    throw DecodeError("a saved thread should have one number");
  next_ = std::max(next_, number + 1);
}

void LocalStates::collect(const std::vector<LocalState*>& live) {
  ++epoch_;
  if (attempts_) attempts_->forget();
  for (auto& [key, state] : first_)
    state->mark = epoch_;
  for (LocalState* state : live)
    state->mark = epoch_;
  for ([[maybe_unused]] const LocalState* state : live)
    FP_ASSERT(!state->parent || state->parent->mark == epoch_, "the ancestors of live states should be live");
  for (auto& state : states_) // both or none: who is stopped may be asked what it would have been
    if (state->stopped && (state->mark == epoch_ || state->stopped->mark == epoch_))
      state->mark = state->stopped->mark = epoch_;
  for (auto& state : states_)
    if (state->mark == epoch_) state->keep_children([&](const LocalState& child) { return child.mark == epoch_; });
  std::erase_if(states_, [&](const auto& state) { return state->mark != epoch_; });
  bytes_ = 0;
  for (const auto& state : states_)
    bytes_ += size_of(*state);
}

} // namespace fencepost
