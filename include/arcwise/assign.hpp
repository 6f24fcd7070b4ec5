// Fixed partitions: which nodes hold the copies of each, exactly as even as weights ask for, as far apart as
// racks allow, and with as few copies moved as that takes.
//
// Layer: study. Pure and deterministic. The partitions, slots or vnodes of Swift, Riak, Redis Cluster and
// their kin, whose number does not change; keys find their partition by other means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arcwise/error.hpp"
#include "arcwise/map.hpp"

namespace arcwise {

struct AssignNode {
  std::string name;
  double weight = 1;      ///< finite, >= 0; with 0 it holds nothing, as when it drains
  std::string host = {};  ///< empty: a machine of its own
  std::string rack = {};  ///< identified by (zone, rack)
  std::string zone = {};
  bool draining = false;  ///< gives everything up
};

struct AssignRequest {
  std::uint32_t partitions = 0;
  std::uint32_t replicas = 1;
  /// Copies of a partition lie on different nodes, and are spread over the domains of this level, and within
  /// them over those below, as evenly as there are any: over min(replicas, racks) racks, and so on.
  Across spread = Across::node;
  std::vector<AssignNode> nodes;
  /// One row a partition: the nodes that hold it; no_node for one that is gone. Empty: nothing is placed yet.
  std::vector<std::vector<NodeIndex>> previous;
  std::vector<std::pair<std::uint32_t, NodeIndex>> pins;        ///< this partition has a copy here
  std::vector<std::pair<std::uint32_t, NodeIndex>> exclusions;  ///< this partition has none here
};

struct Assignment {
  /// One row a partition, `replicas` nodes. Copies that stay keep their place in the row.
  std::vector<std::vector<NodeIndex>> owners;
  std::uint64_t moved = 0;  ///< copies on nodes that did not hold them: all where nothing was placed
  /// No assignment as even and as far spread moves less: the value of a dual solution, computed from it anew.
  std::uint64_t least = 0;
  struct NodeCount {
    double target = 0;         ///< its fair share of copies: by weight, at most one copy a partition
    std::uint64_t copies = 0;  ///< target rounded down or up, unless pins or exclusions forbid that
    std::uint64_t gained = 0, given = 0;
  };
  std::vector<NodeCount> nodes;
  std::uint64_t uneven = 0;   ///< copies beyond the rounded targets, which pins or exclusions force
  std::uint64_t crowded = 0;  ///< copies in a domain that has its part already, which they force
};

/// Refused where `previous` has another number of partitions. An error where copies cannot be placed at all.
/// Cost: O(partitions × replicas), and for each copy moved a search over nodes and domains.
Result<Assignment> assign(const AssignRequest& request);

/// A ring of partitions any `spacing` of which, one after another, lie on different nodes, and of which nodes
/// hold as many as others or one more.
struct SpacedAssignment {
  std::vector<NodeIndex> owners;
  std::uint64_t moved = 0;
  std::uint64_t least = 0;  ///< no such ring moves less; equal to `moved` where every ring was compared
  std::uint64_t close = 0;  ///< pairs of one node's partitions that are closer: 0 where that is possible
};
/// As many nodes as the spacing, at most 8, that divide the ring: the least there is. More nodes: a search
/// beside a bound. Refused: fewer nodes than the spacing, and nodes beyond the ring's partitions.
Result<SpacedAssignment> assign_spaced(const std::vector<NodeIndex>& previous, std::uint32_t nodes,
                                       std::uint32_t spacing);

/// Refused where two maps of one recipe have different numbers of partitions or slots.
std::optional<Error> check_part_count(const ClusterMap& before, const ClusterMap& after);

}  // namespace arcwise
