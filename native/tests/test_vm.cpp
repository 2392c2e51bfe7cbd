// Arithmetic at its edges, decoding of broken words, and threads that run alone.
#include "graph/bits.hpp"
#include "tests/assembler.hpp"
#include "tests/check.hpp"
#include "vm/arithmetic.hpp"
#include "vm/machine.hpp"

using namespace fencepost;
using namespace fencepost::tests;

namespace {

std::uint64_t value(Op op, unsigned width, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
  std::optional<Fault> fault;
  const auto result = compute(op, width, a, b, c, fault);
  CHECK(!fault);
  return result;
}

std::optional<ErrorKind> fault_of(Op op, unsigned width, std::uint64_t a, std::uint64_t b) {
  std::optional<Fault> fault;
  compute(op, width, a, b, 0, fault);
  return fault ? std::optional(fault->kind) : std::nullopt;
}

constexpr std::uint64_t top = 1ULL << 63, all = ~0ULL;

} // namespace

TEST(arithmetic_wraps_at_its_width) {
  CHECK_EQ(value(Op::Add, 8, 255, 1), 0u);
  CHECK_EQ(value(Op::Sub, 64, 0, 1), all);
  CHECK_EQ(value(Op::Mul, 32, 0x10000, 0x10000), 0u);
  CHECK_EQ(value(Op::Add, 1, 1, 1), 0u);
}

TEST(signed_operations_see_the_sign) {
  CHECK_EQ(value(Op::Slt, 8, 255, 0), 1u);
  CHECK_EQ(value(Op::Ult, 8, 255, 0), 0u);
  CHECK_EQ(value(Op::Sdiv, 64, static_cast<std::uint64_t>(-7), 2), static_cast<std::uint64_t>(-3));
  CHECK_EQ(value(Op::Srem, 64, static_cast<std::uint64_t>(-7), 2), static_cast<std::uint64_t>(-1));
  CHECK_EQ(value(Op::Ashr, 64, top, 63), all);
  CHECK_EQ(value(Op::Sext, 8, 0x80), static_cast<std::uint64_t>(-128));
}

TEST(shifts_by_the_width_or_more_are_defined) {
  CHECK_EQ(value(Op::Shl, 64, 1, 64), 0u);
  CHECK_EQ(value(Op::Lshr, 64, all, 100), 0u);
  CHECK_EQ(value(Op::Ashr, 64, top, 200), all);
  CHECK_EQ(value(Op::Shl, 32, 1, 31), 0x8000'0000u);
}

TEST(division_has_its_faults) {
  CHECK(fault_of(Op::Sdiv, 64, 1, 0) == ErrorKind::Division);
  CHECK(fault_of(Op::Urem, 32, 1, 0) == ErrorKind::Division);
  CHECK(fault_of(Op::Sdiv, 64, top, all) == ErrorKind::Arithmetic);
  CHECK(fault_of(Op::Srem, 32, 0x8000'0000, 0xFFFF'FFFF) == ErrorKind::Arithmetic);
  CHECK(!fault_of(Op::Udiv, 64, top, all));
}

TEST(updates_are_those_of_their_size) {
  CHECK_EQ(update(RmwOp::Add, 1, 255, 2), 1u);
  CHECK_EQ(update(RmwOp::Max, 1, 0x80, 1), 1u);
  CHECK_EQ(update(RmwOp::Umax, 1, 0x80, 1), 0x80u);
  CHECK_EQ(update(RmwOp::Nand, 8, all, all), 0u);
  CHECK_EQ(update(RmwOp::Xchg, 4, 1, all), 0xFFFF'FFFFu);
}

TEST(broken_words_are_refused) {
  CHECK_THROWS(decode({}, {}), DecodeError);
  const std::int64_t wrong_magic[] = {1, 2, 3};
  CHECK_THROWS(decode(wrong_magic, {}), DecodeError);
  const std::int64_t too_long[] = {0x46454E4345, 9, 5};
  CHECK_THROWS(decode(too_long, {}), DecodeError);
  const std::int64_t negative[] = {0x46454E4345, 9, -1};
  CHECK_THROWS(decode(negative, {}), DecodeError);
  const std::int64_t too_few[] = {0x46454E4345, 1, 0};
  CHECK_THROWS(decode(too_few, {}), DecodeError);
  const std::int64_t outside[] = {0x46454E4345, 9, 0, 7, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  CHECK_THROWS(decode(outside, {}), DecodeError);
}

TEST(a_thread_runs_alone) {
  Assembler a;
  const auto x = a.variable(5);
  a.thread();
  const auto r = a.load(x, Mode::Acq);
  const auto sum = a.compute(Op::Add, r, a.constant(2));
  a.store_register(x, sum, Mode::Rel);
  const auto program = a.program();
  CHECK_EQ(initial_value(program, x, 8), 5u);
  Machine machine(program, true);
  auto state = machine.start(0, 0, {});
  const auto read = machine.run(state);
  CHECK(read.kind == ActionKind::Read && read.address == x && read.mode == Mode::Acq);
  machine.reply(state, read, 5);
  const auto snapshot = state;
  const auto write = machine.run(state);
  CHECK(write.kind == ActionKind::Write && write.mode == Mode::Rel);
  CHECK_EQ(write.value, 7u);
  CHECK(write.data_deps != 0);
  machine.reply(state, write, 0);
  CHECK(machine.run(state).kind == ActionKind::End);
  CHECK_EQ(Machine::first_register(state, static_cast<std::uint32_t>(sum)), 7u);
  auto again = snapshot; // a snapshot goes on as the original did
  CHECK_EQ(machine.run(again).value, 7u);
}

TEST(bits_behave_like_sets_of_numbers) {
  Bits<2> s, t;
  for (const unsigned i : {0u, 63u, 64u, 127u})
    s.set(i);
  t.set(64);
  CHECK_EQ(s.count(), 4u);
  CHECK(s.test(127) && !s.test(126) && s.meets(t) && (s & t) == t && !(s - t).test(64));
  unsigned sum = 0;
  s.each([&](unsigned i) { sum += i; });
  CHECK_EQ(sum, 254u);
  CHECK_EQ(s.first_absent(), 1u);
  s.clear();
  CHECK(s.none());
}
