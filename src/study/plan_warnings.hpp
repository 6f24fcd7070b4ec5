// Inside the study layer: what an operator should know before carrying a plan out.
#pragma once

#include "arcwise/change.hpp"

namespace arcwise {

/// plan.diff, flows and balances are read; the findings are sorted by severity, then as found.
std::vector<Finding> plan_warnings(const ClusterMap& before, const ClusterMap& after, const Change& change,
                                   const Plan& plan, const CostOptions& cost);

}  // namespace arcwise
