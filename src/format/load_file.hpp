// Files of measured load: of each range, slot or partition, and of single keys.
//
// Layer: format.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "arcwise/format.hpp"
#include "arcwise/ranges.hpp"

namespace arcwise {

struct UnitLoads {
  std::vector<Load> units;  ///< one a unit of the map; 0 for those that are not listed
  std::uint64_t listed = 0;
  std::string requests, bytes;  ///< what these columns are called; empty: not measured
};

/// Lines RANGE BYTES REQUESTS, with tabs, commas or blanks between, or with a header that names the columns;
/// or what CLUSTER SLOT-STATS answers, as redis-cli prints it. Several files are parts of one measurement:
/// nothing may be listed twice.
Result<UnitLoads> parse_unit_loads(std::span<const Source> sources, const ClusterMap& map);

/// KEY, a tab, REQUESTS, and where known a tab and BYTES, one a line. A key in double quotes is a JSON
/// string; any bytes but tab and newline otherwise. A key that occurs again adds up. Positions are not set.
Result<std::vector<KeyLoad>> parse_key_loads(const Source& source);

}  // namespace arcwise
