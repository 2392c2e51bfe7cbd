// Builds small programs for the core's own tests, without the Python that normally makes them.
#pragma once

#include "vm/bytecode.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace fencepost::tests {

using Variable = std::uint64_t;
using Register = std::int32_t;

class Assembler {
public:
  // A variable of eight bytes with an initial value.
  Variable variable(std::uint64_t initial = 0) {
    const Variable address = layout::globals + 32 * p_.objects.size();
    p_.objects.push_back({string("v" + std::to_string(p_.objects.size())), address, 8, false, false});
    for (unsigned k = 0; k < 8; ++k)
      if (const auto byte = static_cast<std::uint8_t>(initial >> (8 * k))) p_.initial.emplace_back(address + k, byte);
    return address;
  }

  // What follows, up to the next thread, is the code of this thread.
  void thread() {
    finish();
    const auto number = static_cast<std::uint32_t>(p_.functions.size());
    const auto name = string("T" + std::to_string(number));
    p_.functions.push_back({name, 0, 0, static_cast<std::uint32_t>(p_.code.size()), 0, false});
    p_.threads.push_back({name, number, {}});
    open_ = true;
  }

  Register load(Variable x, Mode mode = Mode::Rlx) {
    auto& i = access(Opcode::Load, x, mode);
    return i.dst = fresh();
  }
  void store(Variable x, std::uint64_t value, Mode mode = Mode::Rlx) {
    const auto operand = constant(value);
    access(Opcode::Store, x, mode).use[1] = operand;
  }
  void store_register(Variable x, Register value, Mode mode = Mode::Rlx) {
    access(Opcode::Store, x, mode).use[1] = value;
  }
  Register fetch_add(Variable x, std::uint64_t by, Mode mode = Mode::Rlx) {
    const auto operand = constant(by);
    auto& i = access(Opcode::Rmw, x, mode);
    i.use[1] = operand;
    i.sub = static_cast<std::uint8_t>(RmwOp::Add);
    return i.dst = fresh();
  }
  void cas(Variable x, std::uint64_t expected, std::uint64_t desired, Mode mode = Mode::Rlx) {
    const auto a = constant(expected), b = constant(desired);
    auto& i = access(Opcode::Cas, x, mode);
    i.use[1] = a;
    i.use[2] = b;
  }
  void await(Variable x, std::uint64_t value, Mode mode = Mode::Rlx) {
    const auto operand = constant(value);
    auto& i = access(Opcode::Await, x, mode);
    i.use[1] = operand;
    i.sub = static_cast<std::uint8_t>(Op::Eq);
  }
  void fence(FenceKind kind) { emit(Opcode::Fence).sub = static_cast<std::uint8_t>(kind); }
  Register compute(Op op, OperandRef a, OperandRef b) {
    auto& i = emit(Opcode::Compute);
    i.width = 64;
    i.sub = static_cast<std::uint8_t>(op);
    i.extra = static_cast<std::uint32_t>(p_.extra.size());
    i.extra_count = 2;
    p_.extra.insert(p_.extra.end(), {a, b});
    return i.dst = fresh();
  }
  void check(Register condition) { emit(Opcode::Assert).use[0] = condition; }
  OperandRef constant(std::uint64_t value) {
    p_.constants.push_back(value);
    return ~static_cast<OperandRef>(p_.constants.size() - 1);
  }
  void observe(std::uint32_t thread, Register r) {
    p_.observations.push_back({false, thread, static_cast<std::uint32_t>(r)});
  }
  void observe_memory(Variable x) { p_.observations.push_back({true, x, 8}); }

  Bytecode program() {
    finish();
    return p_;
  }

private:
  std::uint32_t string(const std::string& text) {
    p_.strings.push_back(text);
    return static_cast<std::uint32_t>(p_.strings.size() - 1);
  }
  Register fresh() { return static_cast<Register>(p_.functions.back().registers++); }
  Instruction& emit(Opcode opcode) {
    Instruction i{};
    i.opcode = opcode;
    i.dst = i.dst2 = no_register;
    for (auto& use : i.use)
      use = no_operand;
    return p_.code.emplace_back(i);
  }
  Instruction& access(Opcode opcode, Variable x, Mode mode) {
    const auto where = constant(x);
    auto& i = emit(opcode);
    i.width = 8;
    i.mode = mode;
    i.failure = mode == Mode::AcqRel ? Mode::Acq : mode == Mode::Rel ? Mode::Rlx : mode;
    i.use[0] = where;
    return i;
  }
  void finish() {
    if (!open_) return;
    emit(Opcode::Return);
    auto& f = p_.functions.back();
    f.length = static_cast<std::uint32_t>(p_.code.size()) - f.start;
    open_ = false;
  }

  Bytecode p_;
  bool open_ = false;
};

} // namespace fencepost::tests
