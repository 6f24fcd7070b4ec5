// Which node may take a copy of a range in the place of another.
//
// Layer: study.
#pragma once

#include <cstdint>
#include <vector>

#include "arcwise/map.hpp"

namespace arcwise {

class CopyRules {
 public:
  explicit CopyRules(const ClusterMap& map);
  /// Whether owners[place] may be `to` instead: a node that has no copy yet, in the same zone where zones
  /// have counts of their own, and no host, rack or zone of the policy's level or below gets a second copy
  /// that did not have to share before. Three copies on racks 1, 2, 2: the third may go to rack 3 and may
  /// stay in 2, the first may not go to 2.
  bool may_replace(const std::vector<NodeIndex>& owners, std::size_t place, NodeIndex to) const;
  /// Whether copies on both would share a host, rack or zone of the policy's level.
  bool together(NodeIndex a, NodeIndex b) const {
    return !groups_.empty() && groups_.back()[a] == groups_.back()[b];
  }

 private:
  bool zones_counted_ = false;
  std::vector<std::vector<std::uint32_t>> groups_;  ///< by level, by node
  std::vector<std::uint32_t> zone_;
};

}  // namespace arcwise
