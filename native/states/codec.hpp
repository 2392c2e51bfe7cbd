// States as the search stores them: only the bits that vary, one after the other. Widths follow what is known so far
// (numbers of local states, of values, of classes); when one overflows, the search packs everything again, wider.
#pragma once

#include "states/monitor.hpp"

#include <cstdint>
#include <vector>

namespace fencepost::states {

class Codec {
public:
  Codec() = default;
  Codec(const LocalStates& locals, const Plan& plan);

  std::uint32_t bytes() const { return bytes_; }
  std::uint32_t bits() const { return bits_; }
  std::uint32_t words() const { return (bytes_ + 7) / 8; } // of the buffer that `pack` fills, its tail zero

  // Whether every number that can occur now has room.
  bool fits(const LocalStates& locals, const Plan& plan) const;

  void pack(const State& state, std::uint64_t* out) const;

  // `state` gets the shape of `plan`, which may be larger than the one that this codec was made for. The bytes must be
  // followed by at least seven readable ones.
  void unpack(const std::uint8_t* in, State& state, const Plan& plan) const;

private:
  Plan plan_; // the shape of what is packed
  std::vector<std::uint8_t> local_width_, value_width_;
  std::uint8_t writer_width_ = 0;
  std::uint32_t bits_ = 0, bytes_ = 0;
};

} // namespace fencepost::states
