// Tables of partitions or slots, handed out anew when nodes come, go or get another weight.
//
// Layer: study.
#pragma once

#include <set>

#include "arcwise/assign.hpp"
#include "arcwise/map.hpp"
#include "arcwise/part_rules.hpp"

namespace arcwise {

/// Whether the table's rows are whole partitions or slots that any node may take.
bool parts_may_move(const ClusterMap& map);

/// Whether nodes hold a part as masters with replicas of their own, which take over what their master takes.
bool held_by_shards(const PlacementSettings& placement);

/// Nodes of `leaving` give up everything; of nodes without a part only those of `coming` get any where shards
/// hold them.
struct HandOut {
  std::set<NodeIndex> leaving, coming;
  PartRules rules;
  std::set<NodeIndex> down = {};
};

/// Assigns the table anew, with as few copies moved as weights, spread and rules allow, and notes the proof.
Result<PartsMoved> hand_out(ClusterMap::Parts& parts, const HandOut& wanted, std::vector<Finding>& notes);

}  // namespace arcwise
