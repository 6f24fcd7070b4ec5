// Inside the study layer: how long a movement takes, and how full it leaves the disks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arcwise/change.hpp"
#include "arcwise/steps.hpp"

namespace arcwise {

/// Nodes and racks work in parallel, each at its own limits; the slowest sets the pace of all.
struct Pace {
  std::vector<NodeFlow> flows;  ///< as diff.nodes
  std::vector<RackLoad> racks;  ///< sorted by name; empty where no rack has a limit
  double bytes = 0, seconds = 0;
  std::string bottleneck;  ///< a node's name or "rack r1"
};
Pace pace_of(const Diff& diff, const ClusterMap& before, const ClusterMap& after, const CostOptions& cost);

/// Disks are as large as the targets before ask for, the mean of them filled to a given part.
class Disks {
 public:
  Disks(const ClusterMap& before, const Ownership& owned_before, double mean);
  /// What part of its disk a node fills that holds `share` of the data, as `at` describes the node. A new
  /// weight is a machine of another size: twice the weight, twice the disk.
  double filled(const Node& at, Share share) const;

 private:
  const ClusterMap& before_;
  std::vector<double> targets_;
  double mean_, per_weight_ = 0;
};

}  // namespace arcwise
