// How many replicas a cluster keeps, as far as nodetool tells.
//
// Layer: format.
#pragma once

#include <span>

#include "format/nodetool_view.hpp"

namespace arcwise {

/// The policy, and whether the printed ownership counts replicas ("effective") or is of tokens alone.
struct DerivedPolicy {
  ReplicaPolicy policy;
  bool owns_effective = false;
};

/// From the sum of `Owns`: over all nodes it is the replica count, within each data center that center's
/// count.
DerivedPolicy policy_of_owns(std::span<const SeenNode> nodes, const LoadOptions& options,
                             std::vector<Finding>& findings);

/// From the number of endpoints that most ranges have, in each data center.
ReplicaPolicy policy_of_ranges(const NodetoolView& view, const LoadOptions& options,
                               std::vector<Finding>& findings);

/// SimpleStrategy instead of NetworkTopologyStrategy, where only the former explains the printed ownership.
ReplicaPolicy strategy_of_owns(const ClusterMap::Parts& parts, std::span<const SeenNode> nodes,
                               std::vector<Finding>& findings);

}  // namespace arcwise
