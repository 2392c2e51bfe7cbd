#include "vm/arithmetic.hpp"

#include <algorithm>

namespace fencepost {
namespace {

constexpr Fault division_by_zero{ErrorKind::Division, "division by zero"};
constexpr Fault division_overflow{ErrorKind::Arithmetic, "signed division overflows"};
constexpr Fault nan_to_integer{ErrorKind::Arithmetic, "conversion of NaN to an integer"};
constexpr Fault float_too_large{ErrorKind::Arithmetic, "conversion of a number that no integer of the type holds"};

std::uint64_t shift_left(std::uint64_t a, std::uint64_t b, unsigned width) {
  const std::uint64_t by = std::min<std::uint64_t>(b & 0xFFFF'FFFF, width);
  return by >= 64 ? 0 : a << by;
}

std::uint64_t shift_right(std::uint64_t a, std::uint64_t b, unsigned width) {
  const std::uint64_t by = std::min<std::uint64_t>(b & 0xFFFF'FFFF, width);
  return by >= 64 ? 0 : a >> by;
}

std::int64_t shift_signed(std::int64_t a, std::uint64_t b, unsigned width) {
  const std::uint64_t by = std::min<std::uint64_t>(b & 0xFFFF'FFFF, width);
  return a >> std::min<std::uint64_t>(by, 63);
}

double to_double(std::uint64_t bits, unsigned width) {
  if (width == 32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return std::bit_cast<double>(bits);
}

std::uint64_t to_bits(double value, unsigned width) {
  if (width == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(value);
}

std::uint64_t truncate(double value, bool is_signed, std::optional<Fault>& fault) {
  if (std::isnan(value)) return fault = nan_to_integer, 0;
  const double whole = std::trunc(value);
  if (is_signed) {
    if (!(whole >= -0x1p63 && whole < 0x1p63)) return fault = float_too_large, 0;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  }
  if (!(whole >= 0 && whole < 0x1p64)) return fault = float_too_large, 0;
  return static_cast<std::uint64_t>(whole);
}

// The bits of a NaN that an operation gives, chosen as x86 does, since compilers and machines differ and both of our
// machines must agree: the first operand that is one, made quiet; else the one with its sign set.
std::uint64_t nan_of(unsigned width, std::uint64_t a, double x, std::uint64_t b, double y) {
  const std::uint64_t quiet = width == 32 ? 0x40'0000 : 0x8'0000'0000'0000;
  if (std::isnan(x)) return (a & mask_of(width)) | quiet;
  if (std::isnan(y)) return (b & mask_of(width)) | quiet;
  return width == 32 ? 0xFFC0'0000 : 0xFFF8'0000'0000'0000;
}

// A NaN keeps its sign and the high bits of its payload when it changes its width.
std::uint64_t widen_nan(std::uint64_t a) { return (a >> 31 & 1) << 63 | 0x7FF8'0000'0000'0000 | (a & 0x7F'FFFF) << 29; }
std::uint64_t narrow_nan(std::uint64_t a) { return (a >> 63) << 31 | 0x7FC0'0000 | (a >> 29 & 0x7F'FFFF); }

template <typename Integer> std::uint64_t from_integer(Integer value, unsigned width) {
  if (width == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value)); // rounded once
  return std::bit_cast<std::uint64_t>(static_cast<double>(value));
}

std::uint64_t compute_number(Op op, unsigned width, std::uint64_t a, double x, double y, std::optional<Fault>& fault) {
  switch (op) {
  case Op::Fadd:
    return to_bits(x + y, width);
  case Op::Fsub:
    return to_bits(x - y, width);
  case Op::Fmul:
    return to_bits(x * y, width);
  case Op::Fdiv:
    return to_bits(x / y, width);
  case Op::Frem:
    return to_bits(std::fmod(x, y), width);
  case Op::Fneg:
    return (a & mask_of(width)) ^ (1ULL << (width - 1));
  case Op::Foeq:
    return x == y;
  case Op::Folt:
    return x < y;
  case Op::Fole:
    return x <= y;
  case Op::Ford:
    return !std::isnan(x) && !std::isnan(y);
  case Op::FromSigned:
    return from_integer(static_cast<std::int64_t>(a), width);
  case Op::FromUnsigned:
    return from_integer(a, width);
  case Op::ToSigned:
    return truncate(x, true, fault);
  case Op::ToUnsigned:
    return truncate(x, false, fault);
  case Op::Fsqrt:
    return to_bits(std::sqrt(x), width);
  case Op::Ffloor:
    return to_bits(std::floor(x), width);
  case Op::Fceil:
    return to_bits(std::ceil(x), width);
  case Op::Ftrunc:
    return to_bits(std::trunc(x), width);
  case Op::Frint:
    return to_bits(std::nearbyint(x), width);
  case Op::Fround:
    return to_bits(std::round(x), width);
  case Op::Fexp:
    return to_bits(std::exp(x), width);
  case Op::Flog:
    return to_bits(std::log(x), width);
  case Op::Fsin:
    return to_bits(std::sin(x), width);
  case Op::Fcos:
    return to_bits(std::cos(x), width);
  case Op::Ftan:
    return to_bits(std::tan(x), width);
  case Op::Fatan:
    return to_bits(std::atan(x), width);
  case Op::Fpow:
    return to_bits(std::pow(x, y), width);
  case Op::Fatan2:
    return to_bits(std::atan2(x, y), width);
  case Op::FloatToDouble:
    return to_bits(to_double(a, 32), 64);
  default:
    return to_bits(to_double(a, 64), 32);
  }
}

bool gives_number(Op op) {
  switch (op) {
  case Op::Fneg:
  case Op::Foeq:
  case Op::Folt:
  case Op::Fole:
  case Op::Ford:
  case Op::FromSigned:
  case Op::FromUnsigned:
  case Op::ToSigned:
  case Op::ToUnsigned:
    return false;
  default:
    return true;
  }
}

std::uint64_t compute_float(Op op, unsigned width, std::uint64_t a, std::uint64_t b, std::optional<Fault>& fault) {
  if (op == Op::FloatToDouble && std::isnan(to_double(a, 32))) return widen_nan(a);
  if (op == Op::DoubleToFloat && std::isnan(to_double(a, 64))) return narrow_nan(a);
  const double x = to_double(a, width), y = to_double(b, width);
  const std::uint64_t found = compute_number(op, width, a, x, y, fault);
  return gives_number(op) && std::isnan(to_double(found, op == Op::FloatToDouble ? 64 : width))
             ? nan_of(width, a, x, b, y)
             : found;
}

std::uint64_t divide(Op op, unsigned width, std::uint64_t a, std::uint64_t b, std::optional<Fault>& fault) {
  if (b == 0) return fault = division_by_zero, 0;
  if (op == Op::Udiv) return a / b;
  if (op == Op::Urem) return a % b;
  const std::int64_t x = sign_extend(a, width), y = sign_extend(b, width);
  if (y == -1) {
    if (a == 1ULL << (width - 1)) return fault = division_overflow, 0;
    return op == Op::Sdiv ? static_cast<std::uint64_t>(-x) : 0;
  }
  return static_cast<std::uint64_t>(op == Op::Sdiv ? x / y : x % y);
}

} // namespace

std::uint64_t compute(Op op, unsigned width, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                      std::optional<Fault>& fault) {
  const std::uint64_t mask = mask_of(width);
  if (op == Op::Select) return (a ? b : c) & mask;
  if (op >= Op::Fadd) return compute_float(op, width, a, b, fault);
  a &= mask;
  b &= mask;
  switch (op) {
  case Op::Mov:
    return a;
  case Op::Add:
    return (a + b) & mask;
  case Op::Sub:
    return (a - b) & mask;
  case Op::Mul:
    return (a * b) & mask;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::Shl:
    return shift_left(a, b, width) & mask;
  case Op::Lshr:
    return shift_right(a, b, width);
  case Op::Eq:
    return a == b;
  case Op::Ne:
    return a != b;
  case Op::Ult:
    return a < b;
  case Op::Ule:
    return a <= b;
  case Op::Ugt:
    return a > b;
  case Op::Uge:
    return a >= b;
  case Op::Sext:
    return static_cast<std::uint64_t>(sign_extend(a, width));
  case Op::Ashr:
    return static_cast<std::uint64_t>(shift_signed(sign_extend(a, width), b, width)) & mask;
  case Op::Slt:
    return sign_extend(a, width) < sign_extend(b, width);
  case Op::Sle:
    return sign_extend(a, width) <= sign_extend(b, width);
  case Op::Sgt:
    return sign_extend(a, width) > sign_extend(b, width);
  case Op::Sge:
    return sign_extend(a, width) >= sign_extend(b, width);
  default:
    return divide(op, width, a, b, fault) & mask;
  }
}

std::uint64_t update(RmwOp op, unsigned size, std::uint64_t old, std::uint64_t value) {
  const unsigned width = 8 * size;
  const std::uint64_t mask = mask_of(width), a = old & mask, b = value & mask;
  const std::int64_t sa = sign_extend(a, width), sb = sign_extend(b, width);
  switch (op) {
  case RmwOp::Xchg:
    return b;
  case RmwOp::Add:
    return (a + b) & mask;
  case RmwOp::Sub:
    return (a - b) & mask;
  case RmwOp::And:
    return a & b;
  case RmwOp::Or:
    return a | b;
  case RmwOp::Xor:
    return a ^ b;
  case RmwOp::Nand:
    return ~(a & b) & mask;
  case RmwOp::Max:
    return sa >= sb ? a : b;
  case RmwOp::Min:
    return sa <= sb ? a : b;
  case RmwOp::Umax:
    return a >= b ? a : b;
  case RmwOp::Umin:
    return a <= b ? a : b;
  }
  return b;
}

} // namespace fencepost
