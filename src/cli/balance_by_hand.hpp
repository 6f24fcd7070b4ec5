// Splits, moves and merges that the user asks for one by one.
#pragma once

#include <string>
#include <vector>

#include "arcwise/ranges.hpp"
#include "format/json_text.hpp"

namespace arcwise::cli {

struct ByHand {
  std::vector<std::string> splits;  ///< positions
  std::vector<std::string> moves;   ///< RANGE=FROM>TO
  std::vector<std::string> merges;  ///< ends of ranges
  bool empty() const { return splits.empty() && moves.empty() && merges.empty(); }
};

/// In this order: splits, moves, merges; epoch + 1 where there is one.
Result<ClusterMap> changed_by_hand(const ClusterMap& map, const ByHand& changes);

std::string by_hand_text(const std::string& title, const ClusterMap& before, const ClusterMap& after,
                         bool colour);
Json by_hand_json(const ClusterMap& before, const ClusterMap& after);

}  // namespace arcwise::cli
