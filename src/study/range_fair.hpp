// What load each node should have: by weight, within what copies that may not meet allow.
//
// Layer: study.
#pragma once

#include <vector>

#include "study/range_pieces.hpp"

namespace arcwise {

/// The nodes that may take load, and everybody's fair share of what these nodes have together.
struct FairShares {
  std::vector<bool> takes;  ///< by node
  std::vector<Load> fair;   ///< by node
};
FairShares fair_shares(const ClusterMap& map, const std::vector<Piece>& pieces, const NodeSet& frozen);

/// What each node has: requests of the pieces that it is first of, bytes of all that it holds.
std::vector<Load> node_loads(const std::vector<Piece>& pieces, std::size_t nodes);

}  // namespace arcwise
