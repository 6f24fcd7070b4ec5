// What every fuzzer of an importer does: whatever is accepted must be a map whose regions add up and whose
// keys have owners that exist.
#pragma once

#include <cstdlib>
#include <vector>

#include "arcwise/format.hpp"
#include "arcwise/placement.hpp"

namespace arcwise::fuzzing {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

inline void import(const std::vector<Source>& sources, std::string_view format) {
  const auto cluster = parse(sources, {std::string(format), {}, {}, {}});
  if (!cluster) {
    require(cluster.error().kind == ErrorKind::input && !cluster.error().why.empty());
    require(!to_string(cluster.error()).empty());
    return;
  }
  const Placement placement = compile(cluster->map);
  Share all;
  for (std::size_t i = 0; i < placement.region_count(); ++i)
    all += share_of(cluster->map.domain(), placement.region(i));
  require(!placement.traits().enumerable || all == Share::whole());
  std::vector<NodeIndex> owners(placement.max_owners());
  const std::size_t count = placement.owners({"key", placement.hash("key"), {}}, owners);
  for (std::size_t i = 0; i < count; ++i) require(owners[i] < cluster->map.nodes().size());
  for (const Finding& finding : cluster->observed.findings)
    require(!finding.rule.empty() && !finding.message.empty());
}

}  // namespace arcwise::fuzzing
