// Riak's ring handed out anew: partitions in a row lie on different nodes.
//
// Layer: study.
#pragma once

#include "study/apply_parts.hpp"

namespace arcwise {

/// Whether a key's copies lie on the partitions that follow its own.
bool held_in_a_row(const PlacementSettings& placement);

/// As hand_out(), for such rings: one partition more than there are copies lies on different nodes, as Riak's
/// target_n_val has it, where there are nodes enough.
Result<PartsMoved> hand_out_spaced(ClusterMap::Parts& parts, const HandOut& wanted,
                                   std::vector<Finding>& notes);

}  // namespace arcwise
