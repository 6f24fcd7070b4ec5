// Arcwise's Maglev: a lookup table that nodes fill in turns, each by its own permutation of it.
#pragma once

#include <vector>

#include "place/methods.hpp"

namespace arcwise {

/// Eisenbud and others, NSDI 2016, with turns in proportion to weights. Neither list order nor a node's
/// place in it matters: nodes take turns in the order of their names. Cost: O(table_size log nodes).
void maglev_slots(const ClusterMap& map, std::vector<NodeIndex>& owner_of_slot);

}  // namespace arcwise
