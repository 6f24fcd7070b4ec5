// Why two maps place keys differently: what is written differently in them.
#pragma once

#include <string>
#include <vector>

#include "arcwise/map.hpp"

namespace arcwise::cli {

/// One sentence a cause, most far-reaching first. Empty where only what placement ignores differs.
std::vector<std::string> causes(const ClusterMap& before, const ClusterMap& after);

}  // namespace arcwise::cli
