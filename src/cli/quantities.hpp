// Sizes, rates, times and parts as arguments.
#pragma once

#include <optional>

#include "cli/args.hpp"

namespace arcwise::cli {

/// "24TB", "250MB/s".
Args::Setter size_into(double& into);
/// "50000", "50k/s".
Args::Setter rate_into(double& into);
/// "130", "130s", "2min", "6h", "1d".
Args::Setter seconds_into(double& into);
/// The same, and 0.
Args::Setter seconds_into(std::optional<double>& into);
/// "60%" or "0.6"; `of` completes "is not a part of …".
Args::Setter part_into(std::optional<double>& into, std::string of);

}  // namespace arcwise::cli
