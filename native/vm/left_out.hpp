// What rounds of loops that are left out did at which place, and who else is there: see UndoneRounds. Places are told
// apart by their bytes, since each worker of an exploration knows accesses that others do not.
#pragma once

#include "vm/bytecode.hpp"

#include <compare>

namespace fencepost {

struct Between {
  enum class Kind : std::uint8_t {
    Value,    // put a value there that would not be there without the round
    ByOthers, // the same, but others wrote in between, and the values are not known here
    Stored,   // stored what was there
    Read,
    PlainRead,
    Touched // read it where no race is an error
  };
  Kind kind = Kind::Value;
  std::uint8_t size = 0;
  std::uint32_t thread = 0, loop = 0; // loop: its position
  std::uint64_t address = 0;
  std::uint64_t without = 0, was = 0; // Value: what would be there without the round, and what was

  bool is_read() const { return kind >= Kind::Read; }
  auto operator<=>(const Between&) const = default;
};

struct Look {
  enum class Kind : std::uint8_t {
    Reads,
    Writes,
    WritesPlainly,
    Frees,
    Ends,  // its stack is gone
    Finds, // reads, and goes on with what it finds
    Waits  // waits until `op` holds for what is there in `mask` and `operand`, and nobody uses the value
  };
  Kind kind = Kind::Reads;
  std::uint8_t size = 0;
  Op op = Op::Mov;
  std::uint8_t bits = 0;
  std::uint32_t thread = 0;
  std::uint64_t address = 0, mask = 0, operand = 0;
  std::uint64_t bytes = 0; // Frees: how large it is at most, or 0 where that is not known

  // Of what may be an error beside a read: a thread of which it follows more than happens before it.
  static constexpr std::int32_t anybody = -1, nobody = -2; // anybody: that is not known
  std::int32_t follows = anybody;

  auto operator<=>(const Look&) const = default;
};

// Whether what the one does there may matter to the other.
bool meet(const Between& between, const Look& look);

} // namespace fencepost
