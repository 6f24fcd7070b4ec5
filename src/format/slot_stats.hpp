// CLUSTER SLOT-STATS of Redis and Valkey, as redis-cli prints it.
//
// Layer: format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "format/yaml.hpp"

namespace arcwise {

struct SlotStats {
  std::uint64_t slot = 0;
  Place at;
  std::map<std::string, double, std::less<>> values;  ///< by name: key-count, cpu-usec, …
};

bool looks_like_slot_stats(std::string_view bytes);
Result<std::vector<SlotStats>> parse_slot_stats(const Source& source);

}  // namespace arcwise
