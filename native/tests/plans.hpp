// Writes relation plans for the core's own tests: what models/cat/plan.py makes of a model.
#pragma once

#include "models/plan.hpp"

namespace fencepost::tests {

class PlanWriter {
public:
  std::int32_t set(int base) { return add(PlanOp::BaseSet, base); }
  std::int32_t relation(int base) { return add(PlanOp::BaseRelation, base); }
  std::int32_t of(PlanOp op, std::int32_t a = -1, std::int32_t b = -1) { return add(op, a, b); }
  void check(Plan::CheckKind kind, std::int32_t what, bool negated = false, bool flag = false) {
    plan_.checks.push_back({kind, negated, flag, false});
    plan_.operations.push_back({PlanOp::Check, -1, static_cast<std::int32_t>(plan_.checks.size()) - 1, what});
  }
  void assign(std::int32_t variable, std::int32_t value) {
    plan_.operations.push_back({PlanOp::Assign, -1, variable, value});
  }
  void mark(PlanOp op) { plan_.operations.push_back({op, -1, -1, -1}); } // Loop, EndLoop

  Plan plan() const { return plan_; }

private:
  std::int32_t add(PlanOp op, std::int32_t a, std::int32_t b = -1) {
    plan_.operations.push_back({op, plan_.registers, a, b});
    return plan_.registers++;
  }
  Plan plan_;
};

// acyclic po | rf | co | rf^-1;co, and no write between the halves of a read-modify-write.
inline Plan sequential_consistency() {
  PlanWriter w;
  const auto po = w.relation(base_relation::po), rf = w.relation(base_relation::rf), co = w.relation(base_relation::co);
  const auto fr = w.of(PlanOp::Sequence, w.of(PlanOp::Inverse, rf), co);
  w.check(Plan::CheckKind::Acyclic, w.of(PlanOp::Union, w.of(PlanOp::Union, po, rf), w.of(PlanOp::Union, co, fr)));
  w.check(Plan::CheckKind::Empty,
          w.of(PlanOp::Intersection, w.relation(base_relation::rmw), w.of(PlanOp::Sequence, fr, co)));
  return w.plan();
}

} // namespace fencepost::tests
