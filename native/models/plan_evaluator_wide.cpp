#include "models/plan_evaluator.hpp"

template class fencepost::PlanEvaluator<8>;
template class fencepost::PlanEvaluator<fencepost::many>;
