// Relation plans as Python hands them over.
#pragma once

#include "models/plan.hpp"

#include <vector>

using PlanRows = std::vector<std::vector<std::int32_t>>;

inline fencepost::Plan to_plan(const PlanRows& operations, std::int32_t registers, const PlanRows& checks) {
  fencepost::Plan plan;
  plan.registers = registers;
  for (const auto& op : operations)
    plan.operations.push_back({static_cast<fencepost::PlanOp>(op.at(0)), op.at(1), op.at(2), op.at(3)});
  for (const auto& c : checks)
    plan.checks.push_back({static_cast<fencepost::Plan::CheckKind>(c.at(0)), c.at(1) != 0, c.at(2) != 0, c.at(3) != 0});
  return plan;
}
