// The order in which nodes are listed for people.
#pragma once

#include <cstddef>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

/// Node indexes by zone, rack and name, "cache-10" after "cache-9"; in list order where that order is part of
/// the placement.
std::vector<std::size_t> reading_order(const Placement& placement);

}  // namespace arcwise
