// Pending ranges: who must also take writes while nodes join, leave or move.
//
// Layer: study. Cassandra's rule for rings of given tokens. Reads go to the natural owners only; writes go to
// natural and pending ones, and must wait for as many more acknowledgements as there are pending ones, so
// that a quorum of the ring as it was and one of the ring to come both have the write.
#pragma once

#include <string>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise {

/// A node that is on its way to other tokens. The map holds the ones it has.
struct NodeMove {
  std::string node;
  std::vector<Token> tokens;
};

/// Owners are constant within it, now and after each of the changes.
struct PendingRange {
  Region region;
  std::vector<NodeIndex> natural;  ///< in preference order
  std::vector<NodeIndex> pending;  ///< ascending; none of them natural
};

struct PendingRanges {
  std::vector<PendingRange> ranges;  ///< ascending by `upto`; the first one wraps
  std::uint32_t replicas = 1;

  /// Acknowledgements that a write at QUORUM waits for: a majority of the replicas, and every pending owner.
  static std::size_t quorum(std::uint32_t replicas, const PendingRange& range) {
    return replicas / 2 + 1 + range.pending.size();
  }
};

/// Of the map's joining nodes (which list the tokens they will have), its leaving nodes, and `moves` in their
/// order. Worked example: one node joins a ring of one copy at 40, between 10 and 60: (10, 40] has the owner
/// of 60 as natural and the joiner as pending owner. Cost: one compiled placement a joining or moving node,
/// and one lookup in each for every range. Errors: another recipe than a ring of given tokens, a joining node
/// without tokens, a move of an unknown node or to a taken token.
Result<PendingRanges> pending_ranges(const ClusterMap& map, const std::vector<NodeMove>& moves = {});

}  // namespace arcwise
