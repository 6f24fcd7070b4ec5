// Sizes, rates, times, parts, weights and counts as arguments: decimal numbers within limits that the errors
// name, a space before the unit or none.
#pragma once

#include <optional>
#include <string_view>

#include "cli/args.hpp"

namespace arcwise::cli {

/// "24TB", "250MB/s": 1 B to 1000 EB.
Args::Setter size_into(double& into);
/// "50000", "50k/s".
Args::Setter rate_into(double& into);
/// "130", "130s", "2min", "6 h", "1d".
Args::Setter seconds_into(double& into);
/// The same, and 0.
Args::Setter seconds_from_0_into(double& into);
Args::Setter seconds_from_0_into(std::optional<double>& into);
/// "60%" or "0.6"; `of` completes "is not a part of …".
Args::Setter part_into(std::optional<double>& into, std::string of);
/// The same, and 0.
Args::Setter part_from_0_into(std::optional<double>& into, std::string of);
/// "60%" or "0.6": above 0, at most 1.
std::optional<double> read_part(std::string_view text);
/// Of a node: what a map takes, but 0.
std::optional<double> read_weight(std::string_view text);
/// "a weight from 0.000000001 to 4294967295, such as 1 or 2.5".
extern const char* const weight_wanted;

}  // namespace arcwise::cli
