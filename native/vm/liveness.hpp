// Which registers a thread can still read. Two local states that differ only in others behave alike for ever, so a
// search that forgets dead registers visits fewer states and loses nothing.
#pragma once

#include "vm/machine.hpp"

#include <vector>

namespace fencepost {

class Liveness {
public:
  // Whether registers that somebody looks at in the end are read until then.
  enum class Observed : std::uint8_t { Dead, Live };

  explicit Liveness(const Bytecode& program, Observed observed = Observed::Dead);

  // Zeroes the dead registers of every frame. pre: the thread stands at an instruction that it has not answered yet.
  void forget(ThreadState& state) const;

  // Whether nobody reads the result of an instruction that goes on with the next one.
  bool is_unused(std::uint32_t pc) const;

private:
  bool live(std::uint32_t pc, std::uint32_t reg) const { return live_[pc][reg / 64] >> (reg % 64) & 1; }
  void analyse(std::uint32_t function);

  const Bytecode& program_;
  Observed observed_;
  std::vector<std::vector<std::uint64_t>> live_; // by pc: the registers that may be read from there on
};

} // namespace fencepost
