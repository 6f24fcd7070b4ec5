// What nodes can hold, as people declare it.
#pragma once

#include <vector>

#include "arcwise/check.hpp"
#include "arcwise/format.hpp"

namespace arcwise {

/// Lines `NODE CAPACITY`, `#` before a remark, or a map in YAML or JSON: `n1: 4TB`. Capacities are sizes or
/// plain numbers; only their ratios count.
Result<std::vector<DeclaredCapacity>> parse_capacities(const Source& source);

}  // namespace arcwise
