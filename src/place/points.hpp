// Nodes become ring points: one function a rule, dispatched by the recipe's row.
#pragma once

#include <vector>

#include "arcwise/map.hpp"

namespace arcwise {

struct RingPoint {
  Token token;
  NodeIndex node;
};

/// The points of every node that is not joining, in the recipe's stated total order: by token, then by its
/// tie rule.
std::vector<RingPoint> ring_points(const ClusterMap& map);

}  // namespace arcwise
