// The replica count and strategy, told from printed ownership. The outputs are made from maps whose policy is
// known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "arcwise/hash.hpp"
#include "format/import_testing.hpp"

namespace arcwise {
namespace {

using namespace arcwise::testing;

// Nodes NAME = zone + number, on `racks` racks a zone, eight tokens each.
ClusterMap cluster_of(const std::map<std::string, int>& zones, int racks, ReplicaPolicy policy) {
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("cassandra-murmur3");
  parts.placement.hash = parts.placement.recipe->hash;
  parts.placement.given = true;
  parts.replicas = std::move(policy);
  for (const auto& [zone, count] : zones)
    for (int i = 0; i < count; ++i) {
      Node node;
      node.name = zone + std::to_string(i);
      node.zone = zone;
      node.rack = "r" + std::to_string(i % racks);
      for (int t = 0; t < 8; ++t)
        node.tokens.push_back({key_hash(KeyHashId::xxh3, node.name + ":" + std::to_string(t))});
      parts.nodes.push_back(std::move(node));
    }
  auto map = ClusterMap::build(std::move(parts));
  if (!map) throw std::runtime_error(to_string(map.error()));
  return *map;
}

std::vector<double> ownership(const ClusterMap& map) {
  const Placement placement = compile(map);
  std::vector<Share> held(map.nodes().size());
  std::vector<NodeIndex> owners(placement.max_owners());
  for (std::size_t r = 0; r < placement.region_count(); ++r) {
    const std::size_t count = placement.region_owners(r, {}, owners);
    for (std::size_t i = 0; i < count; ++i) held[owners[i]] += share_of(map.domain(), placement.region(r));
  }
  std::vector<double> out;
  for (const Share share : held) out.push_back(share.value());
  return out;
}

// `nodetool ring` of this map.
Source printed(const ClusterMap& map) {
  const std::vector<double> owns = ownership(map);
  std::map<std::string, std::map<Token, NodeIndex>> zones;
  for (std::size_t n = 0; n < map.nodes().size(); ++n)
    for (const Token token : map.nodes()[n].tokens)
      zones[map.nodes()[n].zone][token] = static_cast<NodeIndex>(n);
  std::string text;
  for (const auto& [zone, tokens] : zones) {
    text += "\nDatacenter: " + zone + "\n==========\nAddress  Rack  Status State  Load  Owns  Token\n" +
            std::string(40, ' ') + to_text(map.space(), tokens.rbegin()->first) + "\n";
    for (const auto& [token, n] : tokens) {
      char share[32];
      std::snprintf(share, sizeof share, "%.2f%%", owns[n] * 100);
      text += map.nodes()[n].name + "  " + map.nodes()[n].rack + "  Up  Normal  1 MiB  " + share + "  " +
              to_text(map.space(), token) + "   \n";
    }
  }
  return {"ring.txt", text};
}

ReplicaPolicy network(std::vector<ZoneCount> zones) {
  if (zones.size() == 1) return {zones[0].count, Across::rack, WhenShort::repeat, {}};
  return {1, Across::rack, WhenShort::repeat, std::move(zones)};
}

void expect_same_owners(const ClusterMap& a, const ClusterMap& b) {
  const Placement one = compile(a), two = compile(b);
  for (int i = 0; i < 500; ++i)
    EXPECT_EQ(owners_of(one, std::to_string(i)), owners_of(two, std::to_string(i)));
}

TEST(nodetool_replicas, the_sum_within_each_data_center_is_its_count) {
  const ClusterMap map = cluster_of({{"eu", 7}, {"us", 4}}, 3, network({{"eu", 3}, {"us", 2}}));
  const Cluster cluster = imported({printed(map)});
  EXPECT_EQ(cluster.map.replicas().count, 5U);
  ASSERT_EQ(cluster.map.replicas().per_zone.size(), 2U);
  EXPECT_EQ(cluster.map.replicas().per_zone[0].count, 3U);
  expect_same_owners(map, cluster.map);
}

TEST(nodetool_replicas, a_data_center_that_holds_nothing_is_not_counted) {
  const ClusterMap map =
      cluster_of({{"eu", 7}, {"us", 4}}, 3, {1, Across::rack, WhenShort::repeat, {{"eu", 3}}});
  const Cluster cluster = imported({printed(map)});
  ASSERT_EQ(cluster.map.replicas().per_zone.size(), 1U);
  expect_same_owners(map, cluster.map);
}

TEST(nodetool_replicas, simple_strategy_is_told_by_the_ownership_it_makes) {
  const ClusterMap simple = cluster_of({{"eu", 9}}, 3, {3, Across::node, WhenShort::repeat, {}});
  const Cluster cluster = imported({printed(simple)});
  EXPECT_EQ(cluster.map.replicas().across, Across::node);
  EXPECT_EQ(findings(cluster, "simple-strategy").size(), 1U);
  expect_same_owners(simple, cluster.map);

  const ClusterMap racks = cluster_of({{"eu", 9}}, 3, network({{"eu", 3}}));
  EXPECT_EQ(imported({printed(racks)}).map.replicas().across, Across::rack);
  EXPECT_EQ(imported({printed(simple)}, across(Across::rack)).map.replicas().across, Across::rack);
}

TEST(nodetool_replicas, simple_strategy_is_told_in_a_large_cluster_too) {
  const ClusterMap simple = cluster_of({{"eu", 300}}, 5, {3, Across::node, WhenShort::repeat, {}});
  EXPECT_EQ(imported({printed(simple)}).map.replicas().across, Across::node);
  const ClusterMap racks = cluster_of({{"eu", 300}}, 5, network({{"eu", 3}}));
  EXPECT_EQ(imported({printed(racks)}).map.replicas().across, Across::rack);
}

TEST(nodetool_replicas, simple_strategy_over_two_data_centers_has_one_count) {
  const ClusterMap simple = cluster_of({{"eu", 5}, {"us", 4}}, 2, {3, Across::node, WhenShort::repeat, {}});
  const Cluster cluster = imported({printed(simple)});
  EXPECT_TRUE(cluster.map.replicas().per_zone.empty());
  expect_same_owners(simple, cluster.map);
}

TEST(nodetool_replicas, ownership_of_one_copy_asks_for_the_count) {
  const ClusterMap one = cluster_of({{"eu", 5}, {"us", 4}}, 2, {1, Across::node, WhenShort::repeat, {}});
  const Cluster cluster = imported({printed(one)});
  EXPECT_EQ(cluster.map.replicas().count, 1U);
  EXPECT_TRUE(cluster.observed.printed_share.empty());
  EXPECT_EQ(findings(cluster, "replicas-unknown").size(), 1U);
}

TEST(nodetool_replicas, a_given_count_holds_in_every_data_center) {
  const ClusterMap map = cluster_of({{"eu", 7}, {"us", 4}}, 3, network({{"eu", 3}, {"us", 2}}));
  const Cluster cluster = imported({printed(map)}, replicas(3));
  EXPECT_EQ(cluster.map.replicas().count, 6U);
  EXPECT_EQ(findings(cluster, "replicas-per-zone").size(), 1U);
  EXPECT_EQ(imported({printed(map)}, replicas(5)).map.replicas().count, 5U);
}

}  // namespace
}  // namespace arcwise
