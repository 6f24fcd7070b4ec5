// Inside the study layer: the maps between the one before a change and the one after it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "arcwise/change.hpp"

namespace arcwise {

/// One node's part in a change.
struct NodeChange {
  std::string action;         ///< "add n13"
  std::string before, after;  ///< names; empty: it is not there
  bool gone = false;          ///< replaced: the machine before serves nothing any more
};

struct StepMaps {
  std::vector<ClusterMap> maps;                  ///< the first is the map before, the last the one after
  std::vector<std::vector<NodeChange>> changes;  ///< what leads from each map to the next
  std::vector<Finding> warnings;
};
/// `down`: nodes that are down now. Where ranges have collapsed, those changes come first that place most of
/// them anew.
StepMaps step_maps(const ClusterMap& before, const ClusterMap& after, const Change& change,
                   std::uint64_t max_in_flight, const std::set<std::string>& down = {});

}  // namespace arcwise
