// For tests of identify: a cluster of each recipe, and samples of what it answers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "arcwise/identify.hpp"
#include "arcwise/placement.hpp"
#include "model/build.hpp"
#include "study/identify_tries.hpp"
#include "study/risk_maps.hpp"
#include "study/rng.hpp"
#include "study/sample_keys.hpp"

namespace arcwise::testing {

inline constexpr std::size_t sample_count = 300;

// Not in order of name; one at a port that some leave out.
inline std::vector<Node> servers(std::size_t count) {
  std::vector<Node> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(node("10.0." + std::to_string(9 - i) + ".7:1121" + std::to_string(1 + i % 2)));
  return out;
}

inline void add_tokens(std::vector<Node>& nodes, unsigned shift) {
  for (Node& n : nodes) {
    for (int i = 0; i < 16; ++i)
      n.tokens.push_back({u128{key_hash(KeyHashId::md5, n.name + "/" + std::to_string(i))} << shift});
    std::sort(n.tokens.begin(), n.tokens.end());
  }
}

inline void add_table(ClusterMap::Parts& p) {
  const Recipe& recipe = *p.placement.recipe;
  if (recipe.key_prep == KeyPrep::redis_tag) p.placement.slots = 16384;
  if (recipe.slots == SlotCount::listed)
    p.placement.slots = recipe.default_slots ? recipe.default_slots : 256;
  const TokenSpace space = p.placement.slots
                               ? TokenSpace::slots(p.placement.slots)
                               : TokenSpace::unsigned_bits(recipe.ring_bits ? recipe.ring_bits : 64);
  constexpr std::size_t rows = 128;
  for (std::size_t r = 0; r < rows; ++r) {
    const u128 uneven =
        r + 1 == rows ? space.last : (space.last / rows + (p.placement.slots ? 1 : 0)) * (r + 1) - 1;
    const u128 upto = has_equal_parts(recipe) ? part_end(space, rows, r).value : uneven;
    const auto owner = static_cast<NodeIndex>(Splitmix64(r).next() % p.nodes.size());
    p.placement.table.push_back({{upto}, {owner}});
  }
  if (recipe.name == "riak" || recipe.name == "swift" || recipe.name == "ceph-pgs") {
    p.placement.slots = rows;
    for (std::size_t r = 0; r < rows; ++r) p.placement.table[r].upto = {r};
  }
}

/// A cluster of each row, with the state that the row needs.
inline ClusterMap::Parts cluster_of(const Recipe& recipe, std::size_t count = 4) {
  auto p = parts(recipe.name, servers(count));
  p.placement.tokens = recipe.default_tokens;
  if (recipe.points == PointRule::given) add_tokens(p.nodes, recipe.ring_bits == 128 ? 63 : 0);
  if (recipe.points == PointRule::table) add_table(p);
  if (recipe.points != PointRule::table && recipe.slots == SlotCount::listed)
    for (std::size_t i = 0; i < p.nodes.size(); ++i) p.nodes[i].name = "osd." + std::to_string(i);
  if (recipe.points != PointRule::table && recipe.slots == SlotCount::listed) p.placement.slots = 128;
  return p;
}

/// Keys of the form that the recipe reads.
inline std::string key_for(const Placement& placement, SampleKeys& keys, Rng& rng) {
  std::string key(keys.next());
  const std::string_view rule = placement.map().placement().recipe->key_rule;
  if (rule == "riak" || rule == "swift") key = "a/b/" + key;
  if (!placement.reads(key)) key = std::to_string(rng.below(1'000'000'000));
  return key;
}

inline std::vector<ObservedKey> observe(const Placement& placement, std::size_t count, std::uint64_t seed) {
  SampleKeys keys(seed);
  Rng rng(seed);
  std::vector<ObservedKey> out;
  std::array<NodeIndex, max_replicas> owners;
  while (out.size() < count) {
    const std::string key = key_for(placement, keys, rng);
    if (placement.owners({key, placement.hash(key), {}}, owners) > 0) out.push_back({key, owners[0]});
  }
  return out;
}

/// A share of the samples name another node.
inline void spoil(std::vector<ObservedKey>& samples, std::size_t nodes, std::size_t wrong,
                  std::uint64_t seed) {
  Rng rng(seed);
  std::set<std::size_t> which;
  while (which.size() < wrong) which.insert(rng.below(samples.size()));
  for (std::size_t i : which)
    samples[i].node = static_cast<NodeIndex>((samples[i].node + 1 + rng.below(nodes - 1)) % nodes);
}

/// Nodes alone where the row needs no more; else the map with its stored state.
inline ClusterMap::Parts known_of(const ClusterMap::Parts& parts) {
  const Recipe& recipe = *parts.placement.recipe;
  if (recipe.points == PointRule::table || recipe.points == PointRule::given) return parts;
  ClusterMap::Parts known;
  known.nodes = parts.nodes;
  return known;
}

inline const Match* match_of(const IdentifyReport& report, std::string_view recipe) {
  for (const Match& match : report.found)
    if (match.how.placement.recipe->name == recipe) return &match;
  return nullptr;
}

inline std::string names(const std::vector<Match>& matches) {
  std::string out;
  for (const Match& m : matches) {
    out += std::string(m.how.placement.recipe->name) + " " + std::to_string(m.mismatches);
    for (const auto& [name, value] : said(m.how)) out += " " + name + "=" + value;
    out += "; ";
  }
  return out;
}

}  // namespace arcwise::testing
