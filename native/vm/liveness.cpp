#include "vm/liveness.hpp"

namespace fencepost {
namespace {

using Set = std::vector<std::uint64_t>;

void insert(Set& set, std::int64_t reg) {
  if (reg >= 0) set[static_cast<std::size_t>(reg) / 64] |= std::uint64_t{1} << (reg % 64);
}

void remove(Set& set, std::int32_t reg) {
  if (reg >= 0) set[static_cast<std::size_t>(reg) / 64] &= ~(std::uint64_t{1} << (reg % 64));
}

bool falls_through(Opcode opcode) {
  return opcode != Opcode::Jump && opcode != Opcode::Branch && opcode != Opcode::Switch && opcode != Opcode::Return &&
         opcode != Opcode::Exit && opcode != Opcode::Fail;
}

// The operands in Bytecode::extra; those of a SpinHead only describe it, and half of a Switch's are jump targets.
std::uint32_t extra_operands(const Instruction& i) {
  if (i.opcode == Opcode::SpinHead) return 0;
  return i.opcode == Opcode::Switch ? i.extra_count / 2 : i.extra_count;
}

} // namespace

Liveness::Liveness(const Bytecode& program, Observed observed)
    : program_(program), observed_(observed), live_(program.code.size()) {
  for (std::uint32_t f = 0; f < program.functions.size(); ++f)
    analyse(f);
}

void Liveness::analyse(std::uint32_t function) {
  const Function& f = program_.functions[function];
  const std::size_t words = f.registers / 64 + 1;
  Set seen(words, 0); // in the end
  if (observed_ == Observed::Live)
    for (const Observation& o : program_.observations)
      if (!o.memory && program_.threads[o.where].function == function) insert(seen, o.what);
  for (std::uint32_t pc = f.start; pc < f.start + f.length; ++pc)
    live_[pc].assign(words, 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t pc = f.start + f.length; pc-- > f.start;) {
      const Instruction& i = program_.code[pc];
      FP_ASSERT(i.dst < static_cast<std::int32_t>(f.registers), "a result should go to a register of the function");
      Set now = seen;
      const auto join = [&](std::uint32_t target) {
        if (target < f.start + f.length)
          for (std::size_t k = 0; k < words; ++k)
            now[k] |= live_[target][k];
      };
      if (falls_through(i.opcode)) join(pc + 1);
      if (i.opcode == Opcode::Jump || i.opcode == Opcode::Branch || i.opcode == Opcode::Switch) join(i.target[0]);
      if (i.opcode == Opcode::Branch) join(i.target[1]);
      if (i.opcode == Opcode::Switch)
        for (std::uint32_t k = i.extra_count / 2; k < i.extra_count; ++k)
          join(f.start + static_cast<std::uint32_t>(program_.extra[i.extra + k]));
      remove(now, i.dst);
      remove(now, i.dst2);
      for (const OperandRef use : i.use)
        insert(now, use);
      for (std::uint32_t k = 0; k < extra_operands(i); ++k)
        insert(now, program_.extra[i.extra + k]);
      for (std::size_t k = 0; k < words; ++k)
        now[k] |= seen[k];
      if (now != live_[pc]) {
        live_[pc] = std::move(now);
        changed = true;
      }
    }
  }
}

bool Liveness::is_unused(std::uint32_t pc) const {
  FP_ASSERT(pc + 1 < program_.code.size() && falls_through(program_.code[pc].opcode), "something should follow");
  const std::int32_t result = program_.code[pc].dst;
  return result < 0 || !live(pc + 1, static_cast<std::uint32_t>(result));
}

void Liveness::forget(ThreadState& s) const {
  constexpr std::uint32_t header = 5; // see Machine::push_frame: saved pc, base, function, result register, top
  std::uint32_t base = s.base, function = s.function, pc = s.pc;
  std::int64_t defined = -1; // the register that the call under way will set
  for (std::uint32_t depth = s.depth; depth-- > 0;) {
    FP_ASSERT(function < program_.functions.size(), "a frame should be of a function");
    FP_ASSERT(pc < program_.code.size(), "a frame should stand at an instruction");
    FP_ASSERT(base >= header && base + program_.functions[function].registers <= s.stack.size(),
              "a frame should have its registers");
    for (std::uint32_t r = 0; r < program_.functions[function].registers; ++r)
      if (r == defined || !live(pc, r)) {
        s.stack[base + r] = 0;
        if (!s.unset.empty()) s.unset[base + r] = 0;
      }
    const std::uint64_t* frame = s.stack.data() + (base - header);
    pc = static_cast<std::uint32_t>(frame[0]);
    base = static_cast<std::uint32_t>(frame[1]);
    function = static_cast<std::uint32_t>(frame[2]);
    defined = static_cast<std::int64_t>(frame[3]);
  }
  if (std::all_of(s.unset.begin(), s.unset.end(), [](auto bits) { return bits == 0; })) s.unset.clear();
}

} // namespace fencepost
