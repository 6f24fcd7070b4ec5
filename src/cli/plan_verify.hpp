// plan --verify: at which of its steps a plan stands.
#pragma once

#include <string>

#include "cli/cluster_args.hpp"

namespace arcwise::cli {

/// Refused where the map is none of those that the plan leads over.
Result<int> verify_plan(const Loaded& map, const std::string& map_file, const std::string& plan_file,
                        Session& session);

}  // namespace arcwise::cli
