// Maps for tests, made in one line.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arcwise/placement.hpp"

namespace arcwise::testing {

inline Node node(std::string name, double weight = 1, std::string rack = "", std::string zone = "",
                 std::string host = "") {
  Node n;
  n.name = std::move(name);
  n.weight = weight;
  n.rack = std::move(rack);
  n.zone = std::move(zone);
  n.host = std::move(host);
  return n;
}

inline Node node_at(std::string name, std::vector<std::uint64_t> tokens, std::string rack = "",
                    std::string zone = "") {
  Node n = node(std::move(name), 1, std::move(rack), std::move(zone));
  for (std::uint64_t t : tokens) n.tokens.push_back({t});
  return n;
}

inline ClusterMap::Parts parts(std::string_view recipe, std::vector<Node> nodes, std::uint32_t replicas = 1,
                               Across across = Across::node, std::uint32_t tokens = 16) {
  ClusterMap::Parts p;
  p.placement.recipe = find_recipe(recipe);
  p.placement.hash = p.placement.recipe->hash;
  p.placement.tokens = p.placement.recipe->default_tokens ? tokens : 0;
  p.placement.given = p.placement.recipe->points == PointRule::given;
  p.replicas.count = replicas;
  p.replicas.across = across;
  p.nodes = std::move(nodes);
  return p;
}

inline ClusterMap map_of(ClusterMap::Parts p) {
  auto built = ClusterMap::build(std::move(p));
  if (!built) {
    ADD_FAILURE() << to_string(built.error());
    std::abort();
  }
  return *built;
}

inline ClusterMap given_ring(std::vector<Node> nodes, std::uint32_t replicas = 1,
                             Across across = Across::node) {
  auto p = parts("ring", std::move(nodes), replicas, across);
  p.placement.given = true;
  return map_of(std::move(p));
}

inline std::vector<std::string> owner_names(const Placement& placement, KeyHash hash, NodeMask mask = {},
                                            std::string_view key = {}) {
  std::vector<NodeIndex> out(placement.max_owners());
  out.resize(placement.owners({key, hash, mask}, out));
  std::vector<std::string> names;
  for (NodeIndex n : out) names.push_back(placement.map().nodes()[n].name);
  return names;
}

/// Where a hash does not suffice, the key itself.
inline std::vector<std::string> owners_of_key(const Placement& placement, std::string_view key,
                                              NodeMask mask = {}) {
  return owner_names(placement, placement.hash(key), mask, key);
}

}  // namespace arcwise::testing
