// Inside the study layer: a cache in front of a database, while keys change their node.
#pragma once

#include "arcwise/steps.hpp"

namespace arcwise {

/// The seconds until a typical key is asked for again; 0: unknown.
double time_constant(const StepOptions& options);

/// The cache right after a step that leaves `cold` of the keys on nodes that do not hold them. `still_cold`:
/// what the steps before have left so.
StepCache cache_after(Share cold, double still_cold, const StepOptions& options);

/// What part of `cold` is still cold after so many seconds; nothing where the time constant is unknown.
double still_cold_after(double cold, double seconds, const StepOptions& options);

}  // namespace arcwise
