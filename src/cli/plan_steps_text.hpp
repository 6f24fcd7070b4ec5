// The steps of a plan, for people.
#pragma once

#include <string>

#include "arcwise/steps.hpp"

namespace arcwise::cli {

/// What the maps before and after each step are called in commands.
struct StepNames {
  std::string before;  ///< the map before the first step
  std::string prefix;  ///< of --write-steps; may be empty
  std::string after;   ///< of --write-map; may be empty
};

std::string steps_text(const StepPlan& plan, const StepOptions& options, const StepNames& names, bool all,
                       bool colour);
/// "n03 → n04 8.3 %, …", or empty where all that moves has to.
std::string useless_text(const Diff& diff);

}  // namespace arcwise::cli
