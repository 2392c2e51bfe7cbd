// A memory model as a relation plan (models/cat/plan.py): what it says, and the primitives that it starts from. The
// numbers of operations and primitives are the interface to the compiler there.
#pragma once

#include "graph/wide_bits.hpp"
#include "vm/bytecode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace fencepost {

enum class PlanOp : std::int32_t {
  BaseSet,
  BaseRelation,
  AllEvents,
  EmptySet,
  EmptyRelation,
  SetUnion,
  SetIntersection,
  SetDifference,
  SetComplement,
  Domain,
  Range,
  Union,
  Intersection,
  Difference,
  Complement,
  Sequence,
  Inverse,
  Plus,
  Star,
  Optional,
  Product,
  Identity,
  From,
  To,
  SetVariable,
  Variable,
  Assign,
  Loop,
  EndLoop,
  Check
};

struct Plan {
  struct Operation {
    PlanOp op;
    std::int32_t to, a, b;
  };
  enum class CheckKind : std::int32_t { Acyclic, Irreflexive, Empty, EmptySet };
  struct Check {
    CheckKind kind;
    bool negated, flag, race; // race: a flag that says that the program has a data race
  };
  std::vector<Operation> operations;
  std::int32_t registers = 0;
  std::vector<Check> checks;

  bool has_flags() const {
    return std::any_of(checks.begin(), checks.end(), [](const Check& c) { return c.flag; });
  }
};

// The primitive sets, as models/cat/base.py numbers them.
namespace base_set {
inline constexpr int reads = 0, writes = 1, fences = 2, initial_writes = 3, updates = 4, exclusives = 5, access = 6,
                     fence = access + 7, other = fence + 41, tag = other + 9, count = tag + 6;
}
// The primitive relations.
namespace base_relation {
inline constexpr int po = 0, rf = 1, co = 2, loc = 3, same_thread = 4, addr = 5, data = 6, ctrl = 7, rmw = 8, spawn = 9,
                     atomic = 10, pick_addr = 11, pick_data = 12, pick_ctrl = 13, count = 14;
}

// The primitives of one execution, whose events have some of the numbers below n. Row i of a relation holds what comes
// before event i in it; sets and relations hold nothing but events.
template <unsigned W> struct Structure {
  using Set = Bits<W>;
  using Relation = std::vector<Set>;

  std::size_t n = 0;
  std::uint64_t version = 0; // another one where anything but rf and co may have changed
  Set events;
  std::array<Set, base_set::count> set;
  std::array<Relation, base_relation::count> relation;

  // Makes room for events.
  void grow(std::size_t size) {
    if (size <= n) return;
    n = size;
    for (Relation& r : relation)
      r.resize(n);
  }

  // Forgets everything.
  void reset(std::size_t size) {
    n = size;
    ++version;
    events.clear();
    set.fill({});
    for (Relation& r : relation)
      r.assign(n, {});
  }
};

} // namespace fencepost
