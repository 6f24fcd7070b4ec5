// Changes of a map whose nodes hold numbered buckets.
//
// Layer: study.
#pragma once

#include <cstdint>
#include <optional>

#include "arcwise/map.hpp"

namespace arcwise {

/// Gives the node buckets until it holds `count`: those that went last come back first, then new numbers.
void give_buckets(ClusterMap::Parts& parts, Node& node, std::uint64_t count);

/// Takes its highest buckets until it holds `count`. An error where the algorithm cannot let them go.
std::optional<Error> take_buckets(ClusterMap::Parts& parts, Node& node, std::uint64_t count);

}  // namespace arcwise
