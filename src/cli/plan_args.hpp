// The limits and circumstances of a plan's steps.
#pragma once

#include <string>

#include "arcwise/steps.hpp"
#include "cli/cluster_args.hpp"

namespace arcwise::cli {

class StepArgs {
 public:
  void declare(Args& args);
  /// With the names of what is down checked against the map.
  Result<StepOptions> options(const ClusterMap& map, const CostOptions& cost) const;
  /// Names of the nodes that are down, as --down says or the map's source saw them.
  Result<std::vector<std::string>> down(const Cluster& cluster) const;

  bool force = false;
  std::string maps_prefix;  ///< --write-steps

 private:
  StepOptions options_;
  DownArgs down_;
};

}  // namespace arcwise::cli
