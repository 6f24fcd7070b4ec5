// A new node unlike the others: what it takes follows from its weight and from where it stands.
//
// Layer: study.
#pragma once

#include <vector>

#include "arcwise/map.hpp"

namespace arcwise {

/// Warns of a weight that nobody chose and that is far from the others', and of a zone that it has alone.
void warn_of_outlier(const ClusterMap& before, const Node& node, bool weight_given,
                     std::vector<Finding>& warnings);

}  // namespace arcwise
