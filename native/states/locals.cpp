#include "states/locals.hpp"

#include "vm/contract.hpp"

#include <algorithm>

namespace fencepost::states {
namespace {

constexpr std::size_t many_critical = 8; // from here on every value of the location is kept apart

void append(std::string& key, const void* data, std::size_t size) { key.append(static_cast<const char*>(data), size); }

std::uint64_t operand(const Bytecode& p, const ThreadState& s, OperandRef r) {
  return r >= 0 ? s.stack[s.base + static_cast<std::uint32_t>(r)] : p.constants[static_cast<std::size_t>(~r)];
}

// What of a thread can still matter. An ended thread is only its result, and only where somebody may join it.
std::string key_of(const ThreadState& s, const Action& action, bool joinable) {
  std::string key(1, static_cast<char>(action.kind));
  if (action.kind == ActionKind::Block) return key;
  if (action.kind == ActionKind::End) {
    key.push_back(action.process ? 1 : 0);
    if (joinable) append(key, &action.value, sizeof action.value);
    return key;
  }
  const std::uint64_t head[] = {s.pc,       s.base,         s.depth,
                                s.function, s.private_top,  s.stack_top,
                                s.heap_top, s.stack.size(), s.private_bytes.size()};
  append(key, head, sizeof head);
  append(key, s.stack.data(), s.stack.size() * sizeof(std::uint64_t));
  append(key, s.private_bytes.data(), s.private_bytes.size());
  append(key, s.local_bytes.data(), s.local_bytes.size());
  append(key, s.private_unset.data(), s.private_unset.size());
  const auto ended = private_ended(s);
  append(key, ended.data(), ended.size_bytes());
  append(key, s.local_unset.data(), s.local_unset.size());
  append(key, s.unset.data(), s.unset.size() * sizeof(std::uint64_t));
  return key;
}

LabelKind kind_of(const Action& a) {
  switch (a.kind) {
  case ActionKind::Read:
    switch (a.part) {
    case Part::Rmw:
      return LabelKind::Update;
    case Part::Cas:
      return LabelKind::Cas;
    case Part::Await:
      return LabelKind::Await;
    case Part::BlockingCas:
      return LabelKind::BlockingCas;
    default:
      return LabelKind::Read;
    }
  case ActionKind::Write:
    return LabelKind::Write;
  case ActionKind::Fence:
    return full_fence(a.fence) ? LabelKind::Fence : LabelKind::Silent;
  case ActionKind::Choose:
    return LabelKind::Choose;
  case ActionKind::Spawn:
    return LabelKind::Spawn;
  case ActionKind::Join:
    return LabelKind::Join;
  case ActionKind::End:
    return LabelKind::End;
  case ActionKind::Error:
    return LabelKind::Error;
  case ActionKind::Block:
    return LabelKind::Blocked;
  default:
    return LabelKind::Silent;
  }
}

} // namespace

bool full_fence(FenceKind kind) {
  return kind == FenceKind::Sc || kind == FenceKind::Sync || kind == FenceKind::Mfence || kind == FenceKind::DmbSy ||
         kind == FenceKind::DsbSy || kind == FenceKind::FenceRWRW;
}

std::uint32_t Location::number(std::uint64_t value) {
  const auto [at, fresh] = numbers.try_emplace(value, static_cast<std::uint32_t>(values.size()));
  if (fresh) values.push_back(value);
  return at->second;
}

LocalStates::LocalStates(const Bytecode& program, Reading reading, bool critical_values)
    : program_(program), machine_(program), liveness_(program), reading_(reading), critical_values_(critical_values) {
  const auto count = static_cast<std::uint32_t>(program.threads.size());
  if (count > max_threads) refuse("more than 64 threads", 0);
  states_.resize(count);
  numbers_.resize(count);
  for (auto& list : states_)
    list.resize(1); // not_started
  for (std::uint32_t t = 0; t < count && t < max_threads; ++t)
    starts_.push_back(intern(t, machine_.start(t, program.threads[t].function, program.threads[t].args)));
}

std::size_t LocalStates::total() const {
  std::size_t sum = 0;
  for (const auto& list : states_)
    sum += list.size();
  return sum;
}

void LocalStates::refuse(const char* what, std::uint32_t position) {
  if (!unsupported_.empty()) return;
  unsupported_ = what;
  unsupported_position_ = position;
}

void LocalStates::compute(std::uint32_t thread, std::uint32_t number, std::uint32_t key, std::uint32_t other) {
  FP_ASSERT(thread < states_.size() && number < count(thread), "a state that goes on should have been met");
  if (find(at(thread, number), key)) return;
  ThreadState s = at(thread, number).state;
  const Action action = at(thread, number).action;
  const LabelKind kind = at(thread, number).kind;
  const std::int32_t location = at(thread, number).location;
  Successor found{key, unknown};
  std::uint64_t value = 0;
  if (kind == LabelKind::Choose) {
    value = action.value + key;
  } else if (kind == LabelKind::Join) {
    FP_ASSERT(at(other, key).kind == LabelKind::End, "who is joined should have ended");
    value = at(other, key).action.value;
  } else if (kind == LabelKind::Spawn) {
    value = key;
    if (key >= max_threads) return refuse("more than 64 threads", action.position);
    if (key >= states_.size()) {
      states_.resize(key + 1, std::vector<LocalState>(1));
      numbers_.resize(key + 1);
    }
    const auto function = static_cast<std::uint32_t>(action.value);
    found.child = intern(key, machine_.start(key, function, machine_.spawn_arguments(s)));
  } else if (action.kind == ActionKind::Read) {
    FP_ASSERT(location >= 0 && key < locations_[static_cast<std::size_t>(location)].values.size(),
              "a value that is read should be known");
    value = locations_[static_cast<std::size_t>(location)].values[key];
  } else if (kind == LabelKind::Write) {
    found.written = locations_[static_cast<std::size_t>(location)].number(action.value);
  }
  machine_.reply(s, action, value);
  if (s.write_pending) {
    const Action second = machine_.run(s);
    found.written = locations_[static_cast<std::size_t>(location)].number(second.value);
    machine_.reply(s, second, 0);
  }
  FP_ASSERT(!s.write_pending, "a read-modify-write should be one step");
  found.next = intern(thread, std::move(s));
  at(thread, number).successors.push_back(found);
}

std::uint32_t LocalStates::intern(std::uint32_t thread, ThreadState s) {
  s.events = s.effects = 0;
  s.spins.clear(); // a cycle of states is harmless here, so a spin need not block
  const Action action = machine_.run(s);
  s.spins.clear();
  s.allocations.clear();
  s.live.clear();
  liveness_.forget(s);
  const bool joinable = thread >= program_.threads.size();
  auto [place, fresh] = numbers_[thread].try_emplace(key_of(s, action, joinable), count(thread));
  if (fresh) {
    bytes_ += sizeof(LocalState) + 2 * place->first.size() + 128;
    LocalState local;
    local.state = std::move(s);
    local.action = action;
    classify(thread, local);
    states_[thread].push_back(std::move(local));
  }
  return place->second;
}

bool LocalStates::endless(std::uint32_t thread) const {
  const std::vector<LocalState>& all = states_[thread];
  std::vector<std::uint32_t> left(all.size(), 0); // ways in; states without any are taken away one after the other
  for (const LocalState& s : all) {
    if (s.kind == LabelKind::End) return false;
    for (const Successor& to : s.successors)
      ++left[to.next];
  }
  std::vector<std::uint32_t> todo;
  for (std::uint32_t n = 0; n < all.size(); ++n)
    if (left[n] == 0) todo.push_back(n);
  std::size_t gone = 0;
  while (!todo.empty()) {
    const LocalState& s = all[todo.back()];
    todo.pop_back();
    ++gone;
    for (const Successor& to : s.successors)
      if (--left[to.next] == 0) todo.push_back(to.next);
  }
  return gone != all.size();
}

void LocalStates::classify(std::uint32_t thread, LocalState& s) {
  s.kind = kind_of(s.action);
  const Action& a = s.action;
  s.waits_alone = a.kind == ActionKind::Block && !a.assumed();
  if (a.kind == ActionKind::AtomicBegin || a.kind == ActionKind::AtomicEnd)
    refuse("an atomic block, which a search of states does not know", a.position);
  if (a.part == Part::Exclusive || a.conditional >= 0) refuse("an exclusive access", a.position);
  if (a.kind == ActionKind::Choose && a.high - a.value > 0xFFFF)
    refuse("a choice among more than 65536 values", a.position);
  if (a.kind == ActionKind::Read || a.kind == ActionKind::Write) {
    s.non_atomic = a.mode == Mode::Na && reading_ != Reading::Hardware;
    if (a.mode == Mode::AcqPc && reading_ == Reading::Orders) refuse("an order that C does not have", a.position);
    s.location = touch(thread, s, a.address, a.size);
  } else if (a.kind == ActionKind::Fence && reading_ == Reading::Orders) {
    s.kind = LabelKind::Fence;
    if (a.fence > FenceKind::Sc) refuse("a fence that C does not have", a.position);
    fences_ |= 1U << static_cast<unsigned>(a.fence);
  } else if (s.kind == LabelKind::Fence && reading_ == Reading::Lowered) {
    refuse("a fence that was not lowered", a.position);
  }
}

std::int32_t LocalStates::touch(std::uint32_t thread, LocalState& s, std::uint64_t address, std::uint8_t size) {
  auto [place, fresh] = by_address_.try_emplace(address, static_cast<std::int32_t>(locations_.size()));
  if (fresh) {
    for (const Location& l : locations_)
      if (address < l.address + l.size && l.address < address + size)
        refuse("accesses of different sizes to one location", s.action.position);
    Location l;
    l.address = address;
    l.size = size;
    l.number(initial_value(program_, address, size));
    l.all_critical = !critical_values_;
    locations_.push_back(std::move(l));
  }
  Location& l = locations_[static_cast<std::size_t>(place->second)];
  if (l.size != size) refuse("accesses of different sizes to one location", s.action.position);
  l.threads |= std::uint64_t{1} << thread;
  if (s.kind != LabelKind::Write) l.readers |= std::uint64_t{1} << thread;
  if (s.kind != LabelKind::Read && s.kind != LabelKind::Await) l.writers |= std::uint64_t{1} << thread;
  l.atomic |= !s.non_atomic;
  l.non_atomic |= s.non_atomic;
  l.seq_cst |= s.action.mode == Mode::Sc || (s.kind == LabelKind::Cas && s.action.failure == Mode::Sc);
  if (s.kind != LabelKind::Read && s.kind != LabelKind::Await)
    (releases(s.action.mode) ? l.releasing : l.weaker) |= std::uint64_t{1} << thread;
  l.read |= s.kind == LabelKind::Read || s.kind == LabelKind::Cas || s.kind == LabelKind::Await;
  l.written |= s.kind == LabelKind::Write;
  l.updated |= s.kind == LabelKind::Update || s.kind == LabelKind::Cas || s.kind == LabelKind::BlockingCas;
  if (s.kind == LabelKind::Cas || s.kind == LabelKind::BlockingCas || s.kind == LabelKind::Await) {
    const Instruction& i = program_.code[s.state.pc];
    const auto op = static_cast<Op>(i.sub);
    s.tells_all = s.kind == LabelKind::Await && ((op != Op::Eq && op != Op::Ne) || i.use[2] != no_operand);
    s.apart = operand(program_, s.state, i.use[1]) & mask_of(8 * i.width);
    l.all_critical |= s.tells_all;
    if (!s.tells_all && std::find(l.critical.begin(), l.critical.end(), s.apart) == l.critical.end())
      l.critical.push_back(s.apart);
    l.all_critical |= l.critical.size() > many_critical;
  }
  return place->second;
}

} // namespace fencepost::states
