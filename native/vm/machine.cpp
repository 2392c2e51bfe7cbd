#include "vm/machine.hpp"

#include <algorithm>
#include <cstring>

namespace fencepost {
namespace {

std::uint64_t hash_bytes(std::uint64_t seed, const void* data, std::size_t size) {
  const auto* at = static_cast<const std::uint8_t*>(data);
  for (std::size_t k = 0; k < size; ++k)
    seed = (seed ^ at[k]) * 0x100000001B3ULL;
  return seed ^ (seed >> 29);
}

} // namespace

Machine::Machine(const Bytecode& program, bool track_dependencies, MachineLimits limits)
    : program_(program), track_(track_dependencies), limits_(limits) {
  std::uint64_t end = 0;
  for (const Object& o : program_.objects)
    if (o.thread_local_) end = std::max(end, (o.address & 0xFFFF'FFFF) + o.size);
  local_image_.resize(end);
  for (const auto& [at, byte] : program_.initial_local)
    local_image_.at(at & 0xFFFF'FFFF) = byte;
}

void Machine::push_frame(ThreadState& s, std::uint32_t function, std::int32_t result) const {
  FP_REQUIRE(function < program_.functions.size(), "a function that is called should exist");
  const auto frame = static_cast<std::uint32_t>(s.stack.size());
  s.stack.resize(frame + header + program_.functions[function].registers);
  s.stack[frame] = s.pc;
  s.stack[frame + 1] = s.base;
  s.stack[frame + 2] = s.function;
  s.stack[frame + 3] = static_cast<std::uint64_t>(static_cast<std::int64_t>(result));
  s.stack[frame + 4] = s.private_top;
  if (track_) s.deps.resize(s.stack.size());
  if (!s.unset.empty()) s.unset.resize(s.stack.size());
  s.base = frame + header;
  s.function = function;
  s.pc = program_.functions[function].start;
  ++s.depth;
}

ThreadState Machine::start(std::uint32_t thread, std::uint32_t function, const std::vector<std::uint64_t>& args) const {
  FP_REQUIRE(function < program_.functions.size(), "a thread should start in a function");
  ThreadState s;
  s.thread = thread;
  push_frame(s, function, no_register);
  for (std::size_t k = 0; k < args.size() && k < program_.functions[function].parameters; ++k)
    s.stack[s.base + k] = args[k];
  return s;
}

Action Machine::run(ThreadState& s, std::vector<Printed>* output) {
  Action out;
  FP_ASSERT(s.pc < program_.code.size(), "a thread should stand at an instruction");
  FP_ASSERT(s.depth > 0, "a thread that runs should be in a function");
  if (s.write_pending) {
    const Instruction& i = program_.code[s.pc];
    FP_ASSERT(i.opcode == Opcode::Rmw || i.opcode == Opcode::Cas || i.opcode == Opcode::BlockingCas,
              "the second half should be of a read-modify-write");
    out.kind = ActionKind::Write;
    out.rmw = true;
    out.mode = i.mode;
    out.noreturn = i.flags & flag::noreturn;
    out.barrier = i.flags & flag::barrier;
    out.size = i.width;
    out.position = i.position;
    out.address = value(s, i.use[0]);
    out.value = s.pending_value;
    out.address_deps = deps(s, i.use[0]);
    out.data_deps = s.pending_deps;
    out.control_deps = s.pending_control;
    return out;
  }
  for (std::uint32_t steps = 0; steps < limits_.steps; ++steps)
    if (step(s, out, output)) return out;
  fault(out, program_.code[s.pc], ErrorKind::StepBound, "a thread runs on without end and without touching memory");
  return out;
}

bool Machine::fault(Action& out, const Instruction& i, ErrorKind kind, const char* message) const {
  out.kind = ActionKind::Error;
  out.error = kind;
  out.message = message;
  out.position = i.position;
  out.string = 0;
  return true;
}

// Runs one instruction; true where it met an action, which is then in `out`.
bool Machine::step(ThreadState& s, Action& out, std::vector<Printed>* output) {
  FP_ASSERT(s.pc < program_.code.size(), "a thread should stand at an instruction");
  FP_ASSERT(s.function < program_.functions.size(), "a thread should be in a function");
  const Instruction& i = program_.code[s.pc];
  if (!s.unset.empty() && undecided(s, i, out)) return true;
  switch (i.opcode) {
  case Opcode::Compute: {
    const std::int64_t* arg = program_.extra.data() + i.extra;
    const auto ref = [&](unsigned k) { return static_cast<OperandRef>(arg[k]); };
    const std::uint64_t a = value(s, ref(0)), b = i.extra_count > 1 ? value(s, ref(1)) : 0,
                        c = i.extra_count > 2 ? value(s, ref(2)) : 0;
    std::optional<Fault> wrong;
    const std::uint64_t result = compute(static_cast<Op>(i.sub), i.width, a, b, c, wrong);
    if (wrong) return fault(out, i, wrong->kind, wrong->message);
    DepSet d = 0;
    if (track_ && i.flags & flag::picks)
      d = join(deps(s, ref(a ? 1 : 2)), dependencies_.picked(deps(s, ref(0))));
    else if (track_)
      for (unsigned k = 0; k < i.extra_count; ++k)
        d = join(d, deps(s, ref(k)));
    const std::uint64_t bits = s.unset.empty() ? 0 : computes_unset(s, i);
    set(s, i.dst, result, d);
    mark_unset(s, i.dst, bits);
    break;
  }
  case Opcode::Jump:
    s.pc = i.target[0];
    return false;
  case Opcode::Branch:
    s.control = join(s.control, deps(s, i.use[0]));
    s.pc = value(s, i.use[0]) ? i.target[0] : i.target[1];
    return false;
  case Opcode::Switch: {
    s.control = join(s.control, deps(s, i.use[0]));
    const std::uint64_t v = value(s, i.use[0]);
    const std::uint32_t cases = i.extra_count / 2, start = program_.functions[s.function].start;
    s.pc = i.target[0];
    for (std::uint32_t k = 0; k < cases; ++k)
      if (value(s, static_cast<OperandRef>(program_.extra[i.extra + k])) == v) {
        s.pc = start + static_cast<std::uint32_t>(program_.extra[i.extra + cases + k]);
        break;
      }
    return false;
  }
  case Opcode::Call:
    return call(s, i, out);
  case Opcode::Return:
  case Opcode::Exit:
    return leave(s, i, out);
  case Opcode::Assert:
    // It is a branch: nothing after it is seen before it is decided. A check is none.
    if (!(i.flags & flag::check)) s.control = join(s.control, deps(s, i.use[0]));
    if (!value(s, i.use[0])) {
      fault(out, i, static_cast<ErrorKind>(i.sub), "assertion failed");
      out.string = i.string;
      return true;
    }
    break;
  case Opcode::Assume:
    s.control = join(s.control, deps(s, i.use[0]));
    if (!value(s, i.use[0])) {
      out.kind = ActionKind::Block;
      out.position = i.position;
      return true;
    }
    break;
  case Opcode::Fail:
    fault(out, i, static_cast<ErrorKind>(i.sub), "");
    out.string = i.string;
    return true;
  case Opcode::Print:
    if (output) {
      Printed line{i.string, i.position, {}};
      for (std::uint32_t k = 0; k < i.extra_count; ++k)
        line.args.push_back(value(s, static_cast<OperandRef>(program_.extra[i.extra + k])));
      output->push_back(std::move(line));
    }
    break;
  case Opcode::SpinHead:
    if (spins(s, i, out)) {
      out.kind = ActionKind::Block;
      out.spin = true;
      out.position = out.loop = i.position;
      return true;
    }
    break;
  case Opcode::Alloca:
  case Opcode::Malloc:
    if (allocate(s, i, out)) return true;
    break;
  case Opcode::Scope:
    scope(s, i);
    break;
  case Opcode::ThreadLocalAddress:
    set(s, i.dst, i.number | static_cast<std::uint64_t>(s.thread) << layout::thread_shift, 0);
    break;
  case Opcode::Self:
    set(s, i.dst, s.thread, 0);
    break;
  case Opcode::Sync:
    return fault(out, i, ErrorKind::Unsupported, "a synchronisation call that was not lowered");
  default:
    return visible(s, i, out);
  }
  ++s.pc;
  return false;
}

bool Machine::call(ThreadState& s, const Instruction& i, Action& out) {
  const std::uint64_t target = value(s, i.use[0]);
  const std::uint64_t index = (target - layout::functions) / layout::gap;
  if (target < layout::functions || target % layout::gap || index >= program_.functions.size())
    return fault(out, i, ErrorKind::BadCall, "call through a pointer that is not a function");
  if (s.depth >= limits_.depth) return fault(out, i, ErrorKind::StackOverflow, "calls nest too deeply");
  const Function& f = program_.functions[index];
  if (i.extra_count < f.parameters) return fault(out, i, ErrorKind::BadCall, "call with too few arguments");
  s.control = join(s.control, deps(s, i.use[0]));
  const std::uint32_t caller = s.base;
  ++s.pc;
  push_frame(s, static_cast<std::uint32_t>(index), i.dst);
  for (std::uint32_t k = 0; k < f.parameters; ++k) {
    const auto r = static_cast<OperandRef>(program_.extra[i.extra + k]);
    s.stack[s.base + k] =
        r >= 0 ? s.stack[caller + static_cast<std::uint32_t>(r)] : program_.constants[static_cast<std::size_t>(~r)];
    if (track_) s.deps[s.base + k] = r >= 0 ? s.deps[caller + static_cast<std::uint32_t>(r)] : 0;
    if (!s.unset.empty()) s.unset[s.base + k] = r >= 0 ? s.unset[caller + static_cast<std::uint32_t>(r)] : 0;
  }
  return false;
}

bool Machine::leave(ThreadState& s, const Instruction& i, Action& out) {
  const std::uint64_t result = i.use[0] == no_operand ? 0 : value(s, i.use[0]);
  if (i.opcode == Opcode::Exit || s.depth == 1) {
    out.kind = ActionKind::End;
    out.value = result;
    out.process = i.opcode == Opcode::Exit && (i.flags & flag::process);
    out.position = i.position;
    return true;
  }
  const DepSet d = i.use[0] == no_operand ? 0 : deps(s, i.use[0]);
  const std::uint64_t bits = unset(s, i.use[0]);
  FP_ASSERT(s.base >= header && s.base <= s.stack.size(), "a frame should have its header");
  FP_ASSERT(s.depth > 1, "only a call should return to its caller");
  const std::uint32_t frame = s.base - header;
  const auto to = static_cast<std::int32_t>(static_cast<std::int64_t>(s.stack[frame + 3]));
  s.pc = static_cast<std::uint32_t>(s.stack[frame]);
  s.base = static_cast<std::uint32_t>(s.stack[frame + 1]);
  s.function = static_cast<std::uint32_t>(s.stack[frame + 2]);
  FP_ASSERT(s.stack[frame + 4] <= s.private_top, "private memory should only grow in a call");
  s.private_top = s.stack[frame + 4]; // private memory of a call ends with it, so that iterations can be compared
  if (s.private_bytes.size() > s.private_top) {
    s.private_bytes.resize(s.private_top);
    if (track_) s.private_deps.resize(s.private_top);
  }
  if (s.private_unset.size() > s.private_top) s.private_unset.resize(s.private_top);
  while (!s.private_objects.empty() && s.private_objects.back().first >= s.private_top)
    s.private_objects.pop_back();
  while (!s.live.empty() && s.live.back().depth >= s.depth)
    s.live.pop_back();
  forget_ended(s);
  s.stack.resize(frame);
  if (track_) s.deps.resize(frame);
  if (!s.unset.empty()) s.unset.resize(frame);
  if (std::all_of(s.unset.begin(), s.unset.end(), [](auto b) { return b == 0; })) s.unset.clear();
  while (!s.spins.empty() && s.spins.back().depth >= s.depth)
    s.spins.pop_back();
  --s.depth;
  set(s, to, result, d);
  mark_unset(s, to, bits);
  return false;
}

bool Machine::spins(ThreadState& s, const Instruction& i, Action& out) const {
  std::uint64_t h = 0xCBF29CE484222325ULL;
  for (std::uint32_t k = 0; k < i.extra_count; ++k) {
    const auto ref = static_cast<OperandRef>(program_.extra[i.extra + k]);
    const std::uint64_t live = value(s, ref), bits = unset(s, ref);
    h = hash_bytes(h, &live, sizeof live);
    if (bits) h = hash_bytes(h, &bits, sizeof bits);
  }
  // Both grow when they are first used: what was not there yet is as good as what it begins with.
  const auto written = std::find_if(s.private_bytes.rbegin(), s.private_bytes.rend(), [](auto b) { return b != 0; });
  h = hash_bytes(h, s.private_bytes.data(), static_cast<std::size_t>(s.private_bytes.rend() - written));
  const auto& local = s.local_bytes.empty() ? local_image_ : s.local_bytes;
  const auto ended = private_ended(s);
  h = hash_bytes(h, ended.data(), ended.size_bytes());
  for (const auto* bytes : {&s.private_unset, &s.local_unset}) {
    const auto unset = std::find_if(bytes->rbegin(), bytes->rend(), [](auto b) { return b != 0; });
    h = hash_bytes(h, bytes->data(), static_cast<std::size_t>(bytes->rend() - unset));
  }
  h = hash_bytes(h, local.data(), local.size());
  for (auto& known : s.spins)
    if (known.depth == s.depth && known.loop == i.number) {
      const bool same = known.hash == h && known.effects == s.effects && known.balance == s.balance;
      out.value = known.since;
      out.undone = known.sums != s.sums;
      out.kept = known.kept != s.kept;
      known = {s.depth, s.effects, s.sums, s.kept, s.events, i.number, h, s.balance};
      return same && ((!out.undone && !out.kept) || i.flags & flag::undoes);
    }
  s.spins.push_back({s.depth, s.effects, s.sums, s.kept, s.events, i.number, h, s.balance});
  return false;
}

// Notes what the thread finds or leaves at a place. A store of what is known to be there is no effect, if nobody else
// uses the place: see UndoneRounds.
void Machine::remember(ThreadState& s, const Action& action, std::uint64_t v) const {
  const bool writes = action.kind == ActionKind::Write;
  if (!limits_.keeps || track_ || (!writes && action.kind != ActionKind::Read)) return;
  if (s.spins.empty() || action.size != program_.code[s.pc].width) { // outside loops, and in pieces, it forgets
    s.known = {};
    return;
  }
  ThreadState::Known* here = nullptr;
  for (auto& k : s.known) {
    if (k.address == action.address && k.size == action.size)
      here = &k;
    else if (writes && k.address < action.address + action.size && action.address < k.address + k.size)
      k.size = 0;
  }
  if (writes && !action.rmw && here && here->value == action.value) {
    --s.effects;
    ++s.kept;
  }
  if (!here) {
    here = &s.known[s.oldest];
    s.oldest = static_cast<std::uint8_t>((s.oldest + 1) % s.known.size());
  }
  *here = {action.address, writes ? action.value : v, action.size};
}

// Narrows an access to its next piece where it reaches across a cut. True where it is a fault: only what is not atomic
// may come in pieces.
bool Machine::cut(const ThreadState& s, const Instruction& i, Action& out) const {
  const std::uint64_t start = out.address + s.piece, end = out.address + i.width;
  const auto next = std::upper_bound(program_.cuts.begin(), program_.cuts.end(), start);
  if (s.piece == 0 && (next == program_.cuts.end() || *next >= end)) return false;
  if (i.mode != Mode::Na || (i.opcode != Opcode::Load && i.opcode != Opcode::Store) || i.flags & flag::exclusive)
    return fault(out, i, ErrorKind::MixedSize, "an atomic access to memory that others access in parts");
  FP_ASSERT(start < end, "a piece should lie inside its access");
  out.address = start;
  out.size = static_cast<std::uint8_t>((next == program_.cuts.end() ? end : std::min(*next, end)) - start);
  return false;
}

// Notes a piece of an access; whether more are to come.
bool Machine::next_piece(ThreadState& s, const Instruction& i, const Action& action, std::uint64_t v, DepSet self) {
  FP_ASSERT(action.size > 0 && s.piece + action.size <= i.width, "pieces should make up the access");
  FP_ASSERT(s.piece < 8, "an access should have eight bytes at most");
  s.piece_value |= v << (8 * s.piece);
  s.piece_deps = join(s.piece_deps, self);
  s.piece = static_cast<std::uint8_t>(s.piece + action.size);
  if (s.piece < i.width) return true;
  if (i.opcode == Opcode::Load) set(s, i.dst, s.piece_value, s.piece_deps);
  s.piece = 0;
  s.piece_value = 0;
  s.piece_deps = 0;
  return false;
}

bool Machine::visible(ThreadState& s, const Instruction& i, Action& out) {
  out.position = i.position;
  out.control_deps = s.control;
  const bool access = i.opcode >= Opcode::Load && i.opcode <= Opcode::BlockingCas;
  if (access) {
    const std::uint64_t address = value(s, i.use[0]);
    const std::uint64_t region = layout::region(address);
    if (region == layout::private_stack || region == layout::thread_local_memory)
      return private_access(s, i, address, out);
    if (memory_fault(s, i, address, out)) return true;
    if (!program_.cuts.empty() && cut(s, i, out)) return true;
    out.mode = i.mode;
    out.noreturn = i.flags & flag::noreturn;
    out.barrier = i.flags & flag::barrier;
    out.address_deps = deps(s, i.use[0]);
  }
  switch (i.opcode) {
  case Opcode::Load:
    out.kind = ActionKind::Read;
    out.part = i.flags & flag::exclusive ? Part::Exclusive : Part::Load;
    return true;
  case Opcode::Store:
    out.kind = ActionKind::Write;
    out.value = value(s, i.use[1]) >> (8 * s.piece) & mask_of(8 * out.size);
    out.data_deps = deps(s, i.use[1]);
    return true;
  case Opcode::StoreConditional:
    return store_conditional(s, i, out);
  case Opcode::Rmw:
    out.kind = ActionKind::Read;
    out.part = Part::Rmw;
    return true;
  case Opcode::Cas:
    out.kind = ActionKind::Read;
    out.part = Part::Cas;
    out.compared_deps = deps(s, i.use[1]);
    out.failure = i.failure;
    return true;
  case Opcode::Await:
    out.kind = ActionKind::Read;
    out.part = Part::Await;
    out.spin = i.flags & flag::spin;
    out.loop = out.spin ? i.string : 0;
    out.compared_deps = waiting_deps(s, i);
    return true;
  case Opcode::BlockingCas:
    out.kind = ActionKind::Read;
    out.part = Part::BlockingCas;
    out.compared_deps = deps(s, i.use[1]);
    out.lock = i.flags & flag::lock;
    out.spin = i.flags & flag::spin;
    out.loop = out.spin ? i.string : 0;
    return true;
  case Opcode::Fence:
    out.kind = ActionKind::Fence;
    out.fence = static_cast<FenceKind>(i.sub);
    return true;
  case Opcode::AtomicBegin:
  case Opcode::AtomicEnd:
    return atomic_block(s, i, out);
  case Opcode::Choose:
    out.value = value(s, i.use[0]);
    out.high = value(s, i.use[1]);
    out.data_deps = join(deps(s, i.use[0]), deps(s, i.use[1]));
    out.kind = static_cast<std::int64_t>(out.value) > static_cast<std::int64_t>(out.high) ? ActionKind::Block
                                                                                          : ActionKind::Choose;
    return true;
  case Opcode::Free:
    out.kind = ActionKind::Free;
    out.made_by = made_by(i);
    out.address = value(s, i.use[0]);
    out.address_deps = deps(s, i.use[0]);
    return true;
  case Opcode::Spawn: {
    out.kind = ActionKind::Spawn;
    const std::uint64_t target = value(s, i.use[0]);
    out.value = (target - layout::functions) / layout::gap;
    if (target < layout::functions || out.value >= program_.functions.size())
      return fault(out, i, ErrorKind::BadCall, "a thread is started on something that is not a function");
    return true;
  }
  case Opcode::Join:
    out.kind = ActionKind::Join;
    out.value = value(s, i.use[0]);
    return true;
  default:
    return fault(out, i, ErrorKind::Unsupported, "an instruction without a meaning");
  }
}

// What a load-reserve reserves; a piece of one, in the same block right after the piece before it, besides.
void Machine::reserve(ThreadState& s, const Instruction& i, std::uint64_t address, std::int32_t number) const {
  const bool goes_on = s.blocks && !s.reserved.empty() && s.reserved.back().event == number - 1 &&
                       s.reserved.back().position == i.position;
  if (!goes_on) s.reserved.clear();
  s.reserved.push_back({number, i.position, address});
}

bool Machine::store_conditional(ThreadState& s, const Instruction& i, Action& out) {
  const auto there = std::find_if(s.reserved.begin(), s.reserved.end(),
                                  [&](const ThreadState::Reservation& r) { return r.address == out.address; });
  if (there == s.reserved.end()) {
    s.reserved.clear();
    set(s, i.dst, 0, 0);
    ++s.pc;
    return false;
  }
  out.kind = ActionKind::Write;
  out.value = value(s, i.use[1]) & mask_of(8 * i.width);
  out.data_deps = deps(s, i.use[1]);
  out.conditional = there->event;
  out.may_fail = i.flags & flag::may_fail;
  return true;
}

std::vector<std::uint64_t> Machine::spawn_arguments(const ThreadState& s) const {
  const Instruction& i = program_.code[s.pc];
  FP_ASSERT(i.opcode == Opcode::Spawn, "who is asked for arguments should start a thread");
  std::vector<std::uint64_t> args;
  for (std::uint32_t k = 0; k < i.extra_count; ++k)
    args.push_back(value(s, static_cast<OperandRef>(program_.extra[i.extra + k])));
  return args;
}

bool Machine::satisfied(const ThreadState& s, const Action& action, std::uint64_t v) const {
  if (!waits(action.part)) return true;
  const Instruction& i = program_.code[s.pc];
  FP_ASSERT(i.opcode == Opcode::Await || i.opcode == Opcode::BlockingCas, "who waits should stand at a wait");
  const std::uint64_t mask = mask_of(8 * i.width);
  if (action.part == Part::BlockingCas) return (v & mask) == (value(s, i.use[1]) & mask);
  const std::uint64_t looked_at = i.use[2] == no_operand ? v : v & value(s, i.use[2]);
  std::optional<Fault> none;
  return compute(static_cast<Op>(i.sub), 8 * i.width, looked_at, value(s, i.use[1]), 0, none) != 0;
}

std::array<std::uint64_t, 4> Machine::waits_for(const ThreadState& s) const {
  const Instruction& i = program_.code[s.pc];
  FP_ASSERT(i.opcode == Opcode::Await, "what is waited for should be asked of an await");
  return {i.sub, 8u * i.width, i.use[2] == no_operand ? ~std::uint64_t{0} : value(s, i.use[2]), value(s, i.use[1])};
}

void Machine::second_half(ThreadState& s, std::uint64_t new_value, DepSet d) const {
  FP_ASSERT(!s.write_pending, "a read-modify-write should have one second half");
  ++s.effects;
  s.write_pending = true;
  s.pending_value = new_value;
  s.pending_deps = d;
  s.pending_control = s.control;
}

// Of nested blocks only the outermost is one: what begins and ends inside it is no action.
bool Machine::atomic_block(ThreadState& s, const Instruction& i, Action& out) const {
  const bool begins = i.opcode == Opcode::AtomicBegin;
  if (!begins && s.blocks == 0) return fault(out, i, ErrorKind::Unlock, "an atomic block ends that never began");
  out.kind = begins ? ActionKind::AtomicBegin : ActionKind::AtomicEnd;
  if (s.blocks == (begins ? 0u : 1u)) return true;
  FP_ASSERT(begins || s.blocks > 1, "an inner block should end inside another");
  s.blocks += begins ? 1 : -1u;
  ++s.pc;
  return false;
}

// What the value that an Await waits for comes from.
DepSet Machine::waiting_deps(const ThreadState& s, const Instruction& i) {
  return join(deps(s, i.use[1]), i.use[2] == no_operand ? 0 : deps(s, i.use[2]));
}

void Machine::reply(ThreadState& s, const Action& action, std::uint64_t v) {
  FP_ASSERT(s.pc < program_.code.size(), "who is answered should stand at an instruction");
  FP_ASSERT(action.kind != ActionKind::End && action.kind != ActionKind::Error && action.kind != ActionKind::Block,
            "who has ended should not be answered");
  FP_ASSERT(!s.write_pending || (action.kind == ActionKind::Write && action.rmw), "a second half should be answered");
  FP_ASSERT(action.kind != ActionKind::Read || action.foretold >= 0 || satisfied(s, action, v),
            "who waits should be answered with what serves it");
  const std::uint32_t number = s.events++;
  const Instruction& i = program_.code[s.pc];
  if (s.write_pending) {
    remember(s, action, v);
    s.write_pending = false;
    ++s.pc;
    return;
  }
  const bool block = action.kind == ActionKind::AtomicBegin || action.kind == ActionKind::AtomicEnd;
  if (block) s.blocks = action.kind == ActionKind::AtomicBegin ? 1 : 0;
  if (action.kind != ActionKind::Read && action.kind != ActionKind::Join && action.kind != ActionKind::Fence && !block)
    ++s.effects; // a fence orders what the next iteration does just as well
  const DepSet self = track_ ? dependencies_.single(number) : 0;
  remember(s, action, v);
  if (action.size != i.width && (action.kind == ActionKind::Read || action.kind == ActionKind::Write)) {
    if (!next_piece(s, i, action, v, self)) ++s.pc;
    return;
  }
  switch (i.opcode) {
  case Opcode::Load:
    set(s, i.dst, v, self);
    if (i.flags & flag::exclusive) reserve(s, i, action.address, static_cast<std::int32_t>(number));
    break;
  case Opcode::StoreConditional:
    std::erase_if(s.reserved, [&](const auto& r) { return v == 0 || r.address == action.address; });
    set(s, i.dst, v, track_ ? dependencies_.single(number | success_dependency) : 0);
    break;
  case Opcode::Rmw: {
    const auto op = static_cast<RmwOp>(i.sub);
    const std::uint64_t result = update(op, i.width, v, value(s, i.use[1]));
    const DepSet d = join(deps(s, i.use[1]), op == RmwOp::Xchg ? 0 : self);
    set(s, i.dst, v, self);
    const std::uint64_t by = value(s, i.use[1]);
    second_half(s, result, d);
    if (result == v) {
      --s.effects; // writing the same again is no effect that ends a spin
    } else if (op == RmwOp::Add || op == RmwOp::Sub) {
      --s.effects;
      ++s.sums;
      const std::uint64_t sum = static_cast<std::uint64_t>(sign_extend(by, 8u * i.width));
      s.balance += hash_bytes(0xCBF29CE484222325ULL, &action.address, sizeof action.address) *
                   (op == RmwOp::Add ? sum : 0 - sum);
    }
    return;
  }
  case Opcode::Cas: {
    const std::uint64_t mask = mask_of(8 * i.width), expected = value(s, i.use[1]), desired = value(s, i.use[2]);
    const DepSet d = deps(s, i.use[2]), compared = deps(s, i.use[1]);
    const bool done = action.foretold < 0 ? (v & mask) == (expected & mask) : action.foretold != 0;
    const bool other = i.flags & flag::alternative;
    const bool picks = track_ && i.flags & flag::picks;
    const DepSet decided = picks ? dependencies_.picked(join(self, compared)) : join(self, compared);
    set(s, i.dst, v, done && other ? join(compared, track_ ? dependencies_.picked(self) : 0) : self);
    set(s, i.dst2, done, decided);
    if (done || other) { // what it read and what it compared with decide whether it writes
      second_half(s, done ? desired & mask : v, done ? d : self);
      if (!done || (desired & mask) == (expected & mask))
        --s.effects; // writing the same again is no effect that ends a spin
      s.pending_control = join(s.control, decided);
      return;
    }
    if (track_) ++s.events; // the write that does not happen keeps its place in program order
    break;
  }
  case Opcode::BlockingCas: {
    const DepSet compared = deps(s, i.use[1]);
    second_half(s, value(s, i.use[2]) & mask_of(8 * i.width), deps(s, i.use[2]));
    s.control = s.pending_control = join(s.control, join(self, compared));
    return;
  }
  case Opcode::Await: {
    const DepSet compared = waiting_deps(s, i);
    set(s, i.dst, v, self);
    s.control = join(s.control, join(self, compared));
    break;
  }
  case Opcode::Choose: // hidden from models, but nobody has it before it is chosen
    set(s, i.dst, v,
        track_ ? join(join(deps(s, i.use[0]), deps(s, i.use[1])), dependencies_.single(number | success_dependency))
               : 0);
    break;
  case Opcode::Spawn:
  case Opcode::Join:
    set(s, i.dst, v, self);
    break;
  default:
    break;
  }
  ++s.pc;
}

} // namespace fencepost
