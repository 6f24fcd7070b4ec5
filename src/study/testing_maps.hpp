// Maps for the tests of diff, apply, plan and fingerprints, on top of those for placements.
#pragma once

#include "place/testing.hpp"

namespace arcwise::testing {

inline std::string numbered(std::string stem, std::size_t i) {
  return (i < 10 ? stem + "0" : stem) + std::to_string(i);
}

/// n00, n01, …
inline std::vector<Node> nodes(std::size_t count) {
  std::vector<Node> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(node(numbered("n", i)));
  return out;
}

inline ClusterMap hashed_ring(std::vector<Node> nodes, std::uint32_t tokens, std::uint32_t replicas = 1,
                              Across across = Across::node) {
  return map_of(parts("ring", std::move(nodes), replicas, across, tokens));
}

inline ClusterMap modulo(std::size_t count) {
  return map_of(parts("modulo", nodes(count)));
}

/// What a map says beside its nodes: `hash`, `hash_tag`, and the recipe's own settings.
inline void set_all(PlacementSettings& placement,
                    const std::vector<std::pair<std::string, std::string>>& settings) {
  for (const auto& [name, value] : settings) {
    if (name == "hash")
      placement.hash = *find_key_hash(value);
    else if (name == "hash_tag")
      placement.hash_tag = value;
    else
      placement.settings[name] = value;
  }
}

/// One given token a node, all arcs equal; node i holds the arc that ends at (i + 1) / count.
inline ClusterMap equal_arcs(std::size_t count, std::uint32_t replicas = 1) {
  std::vector<Node> out = nodes(count);
  for (std::size_t i = 0; i < count; ++i) out[i].tokens = {{(u128{1} << 64) * (i + 1) / count - 1}};
  return given_ring(std::move(out), replicas);
}

/// Ranges over the positions of XXH3; rows as (last position, owners).
inline ClusterMap table(std::vector<Node> nodes, std::vector<TableRow> rows, std::uint32_t replicas = 1) {
  auto p = parts("ranges", std::move(nodes), replicas);
  p.placement.table = std::move(rows);
  return map_of(std::move(p));
}

}  // namespace arcwise::testing
