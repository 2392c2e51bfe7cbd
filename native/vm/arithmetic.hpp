// What each Op and RmwOp computes: the twin of program/arithmetic.py, which explains the rules.
#pragma once

#include "vm/bytecode.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

namespace fencepost {

// A fault of the program under test, such as a division by zero.
struct Fault {
  ErrorKind kind;
  const char* message;
};

inline std::uint64_t mask_of(unsigned width) { return width >= 64 ? ~0ULL : (1ULL << width) - 1; }

inline std::int64_t sign_extend(std::uint64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

// op at `width` bits; `fault` is set where the operation has no result.
std::uint64_t compute(Op op, unsigned width, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                      std::optional<Fault>& fault);

// What a read-modify-write leaves in `size` bytes of memory.
std::uint64_t update(RmwOp op, unsigned size, std::uint64_t old, std::uint64_t value);

} // namespace fencepost
