// Parts of maps, for tests that change something before they build.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "place/testing.hpp"

namespace arcwise::testing {

inline Placement placed(ClusterMap::Parts parts) {
  return compile(map_of(std::move(parts)));
}

/// A ring of hashed tokens; nodes are called n0, n1, …
inline ClusterMap::Parts ring_parts(std::size_t count, std::uint32_t tokens, std::uint32_t replicas,
                                    const std::string& prefix = "n") {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(node(prefix + std::to_string(i)));
  return parts("ring", std::move(nodes), replicas, Across::node, tokens);
}

/// Equal ranges of a recipe over tables ("ranges", "cassandra-ranges", or "redis-cluster" over its slots).
inline ClusterMap::Parts table_parts(const char* recipe, std::size_t count,
                                     const std::vector<std::vector<NodeIndex>>& rows) {
  ClusterMap::Parts p = parts(recipe, ring_parts(count, 1, 1).nodes);
  if (p.placement.recipe->key_prep == KeyPrep::redis_tag) p.placement.slots = 16384;
  const u128 positions = p.placement.slots ? u128{p.placement.slots} : u128{1} << 64;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    p.placement.table.push_back({{positions * (i + 1) / rows.size() - 1}, rows[i]});
    p.replicas.count = std::max(p.replicas.count, static_cast<std::uint32_t>(rows[i].size()));
  }
  return p;
}

}  // namespace arcwise::testing
