// Inside the study layer: what an operator should know before the steps are carried out.
#pragma once

#include "arcwise/steps.hpp"

namespace arcwise {

/// The findings, by severity, then step by step. Severity error: data would be gone.
std::vector<Finding> step_warnings(const StepPlan& plan, const StepOptions& options);

/// Where the steps together move more than the change would at once.
void note_moved_twice(StepPlan& plan, Share at_once);

}  // namespace arcwise
