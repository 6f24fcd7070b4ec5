// The table of nodes that status and ownership share.
#pragma once

#include <optional>
#include <string>

#include "arcwise/ownership.hpp"
#include "cli/cluster_args.hpp"

namespace arcwise::cli {

struct NodeTableOptions {
  bool all = false;  ///< every node; else the fullest and the emptiest of a large cluster
  bool colour = false;
  std::optional<ByChance> chance;  ///< ratios that chance does not explain are marked
};
std::string node_table(const Loaded& loaded, const Ownership& ownership, const NodeTableOptions& options);

}  // namespace arcwise::cli
