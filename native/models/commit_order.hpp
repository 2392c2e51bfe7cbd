// Whose rules say what must be there before an event; the rules are in commit_rules.hpp.
#pragma once

#include <cstdint>

namespace fencepost {

// Those that every model has (Weakest), program order, or those of a model.
enum class CommitOrder : std::uint8_t { Weakest, InOrder, Power, Armv8, Riscv, Armv7, Imm };

} // namespace fencepost
