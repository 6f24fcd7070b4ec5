// The steps of a plan as JSON, for programs and for the file that binds a plan to its maps.
#pragma once

#include "arcwise/steps.hpp"
#include "format/json_text.hpp"

namespace arcwise {

/// Adds to the answer of plan_json(): `states`, `steps`, `peaks`, `useful_share` and its kin, `options`, and
/// the findings of the steps behind the other warnings.
void add_steps(Json& json, const Plan& plan, const StepPlan& steps, const StepOptions& options);

}  // namespace arcwise
