// What changes on a ring when nodes join, leave or change, so that a new map need not be compiled from
// nothing.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "place/methods.hpp"

namespace arcwise {

struct RingChange {
  std::vector<NodeIndex>
      renumbered;      ///< by number before: the number now, no_node for those gone; empty: all as before
  bool loses = false;  ///< some are gone
  std::vector<RingPoint> gained;  ///< in ring order, of numbers now
  ClusterMap after;

  NodeIndex now(NodeIndex before) const { return renumbered.empty() ? before : renumbered[before]; }
  /// Whether a point of `node` (its number now) comes before one at the same token of a node numbered `other`
  /// before: by name, as TieRule::by_name says. A point that goes has no place: it may stand on either side.
  bool precedes(NodeIndex node, NodeIndex other) const {
    return now(other) != no_node && after.nodes()[node].name < after.nodes()[now(other)].name;
  }
};

/// nothing: the maps differ in more than nodes, or their recipe makes points in view of the whole list.
/// Cost: O(nodes) and the points of the nodes that changed.
std::optional<RingChange> ring_change(const ClusterMap& before, const ClusterMap& after,
                                      const Method& method);

}  // namespace arcwise
