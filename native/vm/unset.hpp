// Bits that nobody has written: which bits of a result they reach. The twin is program/unset.py.
#pragma once

#include "vm/bytecode.hpp"

#include <array>
#include <cstdint>

namespace fencepost {

// The bits of `op` at `width` bits that depend on the bits `from` of its operands, whose values are `of`.
std::uint64_t unset_bits(Op op, unsigned width, const std::array<std::uint64_t, 3>& of,
                         const std::array<std::uint64_t, 3>& from);

} // namespace fencepost
