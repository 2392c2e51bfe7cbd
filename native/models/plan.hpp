// A memory model as a relation plan (models/cat/plan.py), evaluated over bit matrices. The slow twin is the evaluator
// there; the numbers of operations and primitives are the interface between the two.
#pragma once

#include "graph/bits.hpp"
#include "vm/bytecode.hpp"
#include "vm/machine.hpp"

#include <algorithm>
#include <array>
#include <cassert>
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
                     fence = access + 7, other = fence + 29, count = other + 9;
}
// The primitive relations.
namespace base_relation {
inline constexpr int po = 0, rf = 1, co = 2, loc = 3, same_thread = 4, addr = 5, data = 6, ctrl = 7, rmw = 8, spawn = 9,
                     atomic = 10, count = 11;
}

// The primitives of one execution with n events. rows[i] holds the successors of event i.
template <unsigned W> struct Structure {
  using Set = Bits<W>;
  using Relation = std::vector<Set>;

  std::size_t n = 0;
  std::array<Set, base_set::count> set;
  std::array<Relation, base_relation::count> relation;

  void reset(std::size_t events) {
    n = events;
    set.fill({});
    for (Relation& r : relation)
      r.assign(n, {});
  }
};

template <unsigned W> class PlanEvaluator {
public:
  using Set = Bits<W>;
  using Relation = std::vector<Set>;

  explicit PlanEvaluator(const Plan& plan)
      : plan_(plan), sets_(static_cast<std::size_t>(plan.registers)),
        relations_(static_cast<std::size_t>(plan.registers)) {}

  // Whether every check that is not a flag holds.
  bool consistent(const Structure<W>& s) {
    n_ = s.n;
    all_.clear();
    for (std::size_t i = 0; i < n_; ++i)
      all_.set(static_cast<unsigned>(i));
    changed_.assign(1, 0);
    for (std::size_t k = 0; k < plan_.operations.size();) {
      const Plan::Operation& o = plan_.operations[k++];
      switch (o.op) {
      case PlanOp::Assign:
        if (assign(o)) changed_.back() = true;
        break;
      case PlanOp::Loop:
        changed_.push_back(0);
        break;
      case PlanOp::EndLoop:
        if (changed_.back()) {
          changed_.back() = false;
          k -= static_cast<std::size_t>(o.a);
        } else {
          changed_.pop_back();
        }
        break;
      case PlanOp::Check: {
        const Plan::Check& check = plan_.checks[static_cast<std::size_t>(o.a)];
        if (!check.flag && holds(check.kind, o.b) == check.negated) return false;
        break;
      }
      default:
        compute(o, s);
      }
    }
    return true;
  }

  // Calls f(check, first, second) for each flag that is raised, with a pair of events that raises it where the flag is
  // about a relation being empty, and 0, 0 elsewhere. pre: the last call of `consistent` said yes.
  template <class F> void raised(F&& f) {
    for (const Plan::Operation& o : plan_.operations) {
      if (o.op != PlanOp::Check) continue;
      const Plan::Check& check = plan_.checks[static_cast<std::size_t>(o.a)];
      if (!check.flag || holds(check.kind, o.b) == check.negated) continue;
      unsigned first = 0, second = 0;
      if (check.kind == Plan::CheckKind::Empty)
        for (std::size_t i = n_; i-- > 0;)
          rel(o.b)[i].some([&](unsigned j) { return first = static_cast<unsigned>(i), second = j, true; });
      f(o.a, first, second);
    }
  }

  // The relation that the last check is about: for plans that define one relation.
  const Relation& relation(const Structure<W>& s) {
    consistent(s);
    assert(plan_.operations.back().op == PlanOp::Check && "a plan should end with its check");
    return rel(plan_.operations.back().b);
  }

private:
  Set& set(std::int32_t r) { return sets_[static_cast<std::size_t>(r)]; }
  Relation& rel(std::int32_t r) { return relations_[static_cast<std::size_t>(r)]; }

  // A variable keeps its kind by which of the two stores its operations use.
  bool assign(const Plan::Operation& o) {
    if (!rel(o.a).empty() || n_ == 0) {
      if (rel(o.a) == rel(o.b)) return false;
      rel(o.a) = rel(o.b);
      return true;
    }
    if (set(o.a) == set(o.b)) return false;
    set(o.a) = set(o.b);
    return true;
  }

  bool holds(Plan::CheckKind kind, std::int32_t r) {
    switch (kind) {
    case Plan::CheckKind::EmptySet:
      return set(r).none();
    case Plan::CheckKind::Acyclic:
      return acyclic(rel(r));
    case Plan::CheckKind::Irreflexive:
      for (std::size_t i = 0; i < n_; ++i)
        if (rel(r)[i].test(static_cast<unsigned>(i))) return false;
      return true;
    case Plan::CheckKind::Empty:
      for (const Set& row : rel(r))
        if (row.any()) return false;
      return true;
    }
    return true;
  }

  // Takes away events without successors until none is left or all that is left has one.
  bool acyclic(const Relation& r) const {
    Set left = all_;
    for (bool changed = true; changed;) {
      changed = false;
      left.each([&](unsigned i) {
        if (!r[i].meets(left)) left.reset(i), changed = true;
      });
    }
    return left.none();
  }

  // Pointers and not registers in the loops: a compiler cannot know that writing a row moves none of them.
  template <class F> void rows(std::int32_t to, F&& row) {
    rel(to).resize(n_);
    Set* const out = rel(to).data();
    for (std::size_t i = 0; i < n_; ++i)
      out[i] = row(i);
  }

  static Set image(const Set& of, const Set* r) {
    Set found;
    of.each([&](unsigned j) { found |= r[j]; });
    return found;
  }

  void close(Relation& r) const {
    for (std::size_t k = 0; k < n_; ++k) {
      const Set through = r[k];
      if (through.none()) continue;
      for (std::size_t i = 0; i < n_; ++i)
        if (r[i].test(static_cast<unsigned>(k))) r[i] |= through;
    }
  }

  void compute(const Plan::Operation& o, const Structure<W>& s) {
    switch (o.op) {
    case PlanOp::BaseSet:
      set(o.to) = s.set[static_cast<std::size_t>(o.a)];
      break;
    case PlanOp::BaseRelation:
      rel(o.to) = s.relation[static_cast<std::size_t>(o.a)];
      break;
    case PlanOp::AllEvents:
      set(o.to) = all_;
      break;
    case PlanOp::EmptySet:
      set(o.to) = {};
      break;
    case PlanOp::SetVariable:
      set(o.to) = {};
      rel(o.to).clear();
      break;
    case PlanOp::EmptyRelation:
    case PlanOp::Variable:
      rel(o.to).assign(n_, {});
      break;
    case PlanOp::SetUnion:
      set(o.to) = set(o.a) | set(o.b);
      break;
    case PlanOp::SetIntersection:
      set(o.to) = set(o.a) & set(o.b);
      break;
    case PlanOp::SetDifference:
      set(o.to) = set(o.a) - set(o.b);
      break;
    case PlanOp::SetComplement:
      set(o.to) = all_ - set(o.a);
      break;
    case PlanOp::Domain: {
      Set found;
      for (std::size_t i = 0; i < n_; ++i)
        if (rel(o.a)[i].any()) found.set(static_cast<unsigned>(i));
      set(o.to) = found;
      break;
    }
    case PlanOp::Range:
      set(o.to) = image(all_, rel(o.a).data());
      break;
    default:
      compute_relation(o);
    }
  }

  void compute_relation(const Plan::Operation& o) {
    rel(o.to).resize(n_);
    const Set* const a = o.a >= 0 ? rel(o.a).data() : nullptr;
    const Set* const b = o.b >= 0 ? rel(o.b).data() : nullptr;
    switch (o.op) {
    case PlanOp::Union:
      rows(o.to, [=](std::size_t i) { return a[i] | b[i]; });
      break;
    case PlanOp::Intersection:
      rows(o.to, [=](std::size_t i) { return a[i] & b[i]; });
      break;
    case PlanOp::Difference:
      rows(o.to, [=](std::size_t i) { return a[i] - b[i]; });
      break;
    case PlanOp::Complement:
      rows(o.to, [=, all = all_](std::size_t i) { return all - a[i]; });
      break;
    case PlanOp::Sequence:
      rows(o.to, [=](std::size_t i) { return image(a[i], b); });
      break;
    case PlanOp::Inverse: {
      Relation& out = rel(o.to);
      out.assign(n_, {});
      for (std::size_t i = 0; i < n_; ++i)
        a[i].each([&](unsigned j) { out[j].set(static_cast<unsigned>(i)); });
      break;
    }
    case PlanOp::Plus:
    case PlanOp::Star:
    case PlanOp::Optional:
      rel(o.to) = rel(o.a);
      if (o.op != PlanOp::Optional) close(rel(o.to));
      if (o.op != PlanOp::Plus)
        for (std::size_t i = 0; i < n_; ++i)
          rel(o.to)[i].set(static_cast<unsigned>(i));
      break;
    case PlanOp::Product:
      rows(o.to, [from = set(o.a), to = set(o.b)](std::size_t i) {
        return from.test(static_cast<unsigned>(i)) ? to : Set{};
      });
      break;
    case PlanOp::Identity:
      rows(o.to, [&](std::size_t i) {
        Set row;
        if (set(o.a).test(static_cast<unsigned>(i))) row.set(static_cast<unsigned>(i));
        return row;
      });
      break;
    case PlanOp::From:
      rows(o.to, [from = set(o.a), b](std::size_t i) { return from.test(static_cast<unsigned>(i)) ? b[i] : Set{}; });
      break;
    case PlanOp::To:
      rows(o.to, [a, to = set(o.b)](std::size_t i) { return a[i] & to; });
      break;
    default:
      break;
    }
  }

  const Plan& plan_;
  std::size_t n_ = 0;
  Set all_;
  std::vector<std::uint8_t> changed_; // per open loop
  std::vector<Set> sets_;
  std::vector<Relation> relations_;
};

} // namespace fencepost
