// How findings write shares, ranges and places. Integers only, so the text is the same everywhere.
#pragma once

#include <span>
#include <string>

#include "arcwise/placement.hpp"

namespace arcwise {

/// "12.5 %", "0.0024 %": at most four decimals, rounded half up, no trailing zeros; "<0.0001 %" for less.
std::string percent_text(Share share);
/// "5461-10922" for slots, else "(-42, 17]".
std::string range_text(const ClusterMap& map, const Region& region);
/// A node's host, rack or zone as people write it: "eu/r1"; "(none)" where it has none.
std::string place_text(const Node& node, Across level);
/// The names of the first five nodes, and how many more there are.
std::string names_text(const ClusterMap& map, std::span<const NodeIndex> nodes);
/// "1 rack", "3 racks".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace arcwise
