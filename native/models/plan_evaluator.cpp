#include "models/plan_evaluator.hpp"

template class fencepost::PlanEvaluator<1>;
template class fencepost::PlanEvaluator<2>;
