// A map from what nodetool prints: one view with tokens or ranges, and other views of the same cluster beside
// it.
//
// Layer: format.
#pragma once

#include <span>

#include "format/nodetool_view.hpp"

namespace arcwise {

/// `base` lists tokens or ranges; `beside` adds up and down, load and ownership, and is compared with it.
Result<Cluster> nodetool_cluster(NodetoolView base, std::span<const NodetoolView> beside,
                                 const LoadOptions& options);

/// Rows of an owner table in ring order. Pieces that no range covers get rows without owners and a finding;
/// overlaps are errors.
Result<std::vector<TableRow>> ring_of_ranges(std::vector<SeenRange> ranges, std::vector<Finding>& findings);

}  // namespace arcwise
