#include "vm/unset.hpp"

#include "vm/arithmetic.hpp"
#include "vm/contract.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace fencepost {
namespace {

// Of a product: a factor that is a power of two moves the bits, as a shift does.
std::uint64_t of_product(std::uint64_t a, std::uint64_t b, std::uint64_t in_a, std::uint64_t in_b) {
  if (in_a && in_b) return in_a | in_b;
  const std::uint64_t by = in_a ? b : a, bits = in_a | in_b;
  return by == 0 ? 0 : bits << std::countr_zero(by);
}

// Of a shift by a known number.
std::uint64_t of_shift(Op op, unsigned width, std::uint64_t bits, std::uint64_t by) {
  if (op == Op::Ashr)
    return static_cast<std::uint64_t>(sign_extend(bits, width) >> std::min<std::uint64_t>(by, width - 1));
  if (by >= width) return 0;
  return op == Op::Shl ? bits << by : bits >> by;
}

bool is_signed(Op op) { return op == Op::Slt || op == Op::Sle || op == Op::Sgt || op == Op::Sge; }

// Whether two numbers compare alike, whatever the bits are: the least of one against the greatest of the other tells.
bool compares_alike(Op op, unsigned width, std::uint64_t a, std::uint64_t b, std::uint64_t in_a, std::uint64_t in_b) {
  const std::uint64_t sign = is_signed(op) ? 1ULL << (width - 1) : 0;
  const auto least = [&](std::uint64_t v, std::uint64_t in) { return ((v ^ sign) & ~in) ^ sign; };
  const auto greatest = [&](std::uint64_t v, std::uint64_t in) { return ((v ^ sign) | in) ^ sign; };
  std::optional<Fault> none;
  return compute(op, width, least(a, in_a), greatest(b, in_b), 0, none) ==
         compute(op, width, greatest(a, in_a), least(b, in_b), 0, none);
}

} // namespace

std::uint64_t unset_bits(Op op, unsigned width, const std::array<std::uint64_t, 3>& of,
                         const std::array<std::uint64_t, 3>& from) {
  FP_ASSERT(width > 0 && width <= 64, "an operation should have one to 64 bits");
  const std::uint64_t mask = mask_of(width);
  if (!(from[0] | from[1] | from[2])) return 0;
  if (op == Op::Select) {
    if (from[0]) return ((of[1] ^ of[2]) | from[1] | from[2]) & mask;
    return (of[0] ? from[1] : from[2]) & mask;
  }
  const std::uint64_t a = of[0] & mask, b = of[1] & mask, in_a = from[0] & mask, in_b = from[1] & mask;
  if (!(in_a | in_b)) return 0;
  switch (op) {
  case Op::Mov:
    return in_a;
  case Op::Sext:
    return static_cast<std::uint64_t>(sign_extend(in_a, width));
  case Op::And:
    return (in_a & in_b) | (in_a & b) | (a & in_b);
  case Op::Or:
    return (in_a & in_b) | (in_a & ~b) | (~a & in_b);
  case Op::Xor:
  case Op::Add:
  case Op::Sub:
    return in_a | in_b;
  case Op::Mul:
    return of_product(a, b, in_a, in_b) & mask;
  case Op::Shl:
  case Op::Lshr:
  case Op::Ashr:
    return in_b ? mask : of_shift(op, width, in_a, b) & mask;
  case Op::Eq:
  case Op::Ne:
    return ((a ^ b) & ~(in_a | in_b)) ? 0 : 1;
  case Op::Ult:
  case Op::Ule:
  case Op::Ugt:
  case Op::Uge:
  case Op::Slt:
  case Op::Sle:
  case Op::Sgt:
  case Op::Sge:
    return compares_alike(op, width, a, b, in_a, in_b) ? 0 : 1;
  case Op::Foeq:
  case Op::Folt:
  case Op::Fole:
  case Op::Ford:
    return 1;
  case Op::FromSigned:
  case Op::FromUnsigned:
  case Op::ToSigned:
  case Op::ToUnsigned:
  case Op::FloatToDouble:
  case Op::DoubleToFloat:
    return ~0ULL;
  default:
    return mask;
  }
}

} // namespace fencepost
