// What failures cost, beside a count of every set of failures by hand, on maps with racks, hosts and zones.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "arcwise/risk.hpp"
#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

// Up to ten nodes with one to three tokens each, on hosts in racks in zones, and up to five copies: spread at
// any level, or counted zone by zone.
ClusterMap small_map(Rng& rng) {
  std::vector<Node> nodes = testing::nodes(5 + rng.below(6));
  const std::uint64_t zones = 1 + rng.below(3), racks = 1 + rng.below(3), hosts = 1 + rng.below(3);
  for (Node& node : nodes) {
    node.zone = "z" + std::to_string(rng.below(zones));
    node.rack = "r" + std::to_string(rng.below(racks));
    node.host = node.zone + node.rack + "h" + std::to_string(rng.below(hosts));
    node.weight = static_cast<double>(1 + rng.below(3));
  }
  auto parts = testing::parts("ring", nodes, static_cast<std::uint32_t>(1 + rng.below(5)),
                              static_cast<Across>(rng.below(4)), 1);
  parts.replicas.when_short = WhenShort::repeat;
  if (rng.below(3) == 0) {
    parts.replicas.count = 0;
    for (std::uint64_t z = 0; z < zones; ++z) {
      const std::string zone = "z" + std::to_string(z);
      const auto there = static_cast<std::uint32_t>(
          std::count_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.zone == zone; }));
      if (there == 0) continue;
      parts.replicas.per_zone.push_back(
          {zone, static_cast<std::uint32_t>(1 + rng.below(std::min(there, 3U)))});
      parts.replicas.count += parts.replicas.per_zone.back().count;
    }
    if (parts.replicas.across == Across::zone) parts.replicas.across = Across::rack;
  }
  return testing::map_of(std::move(parts));
}

struct Counted {
  double any_short = 0, any_lost = 0, short_share = 0, lost_share = 0;
};

Counted by_hand(const Placement& p, const Level& level, int down) {
  Counted sum;
  double choices = 0;
  std::vector<NodeIndex> owners(p.max_owners());
  for (std::uint32_t dead = 0; dead < (1U << p.map().nodes().size()); ++dead) {
    if (std::popcount(dead) != down) continue;
    ++choices;
    bool any_short = false, any_lost = false;
    for (std::size_t i = 0; i < p.region_count(); ++i) {
      const std::size_t count = p.region_owners(i, {}, owners);
      std::uint32_t alive = 0;
      for (std::size_t k = 0; k < count; ++k) alive += !(dead >> owners[k] & 1);
      const double share = share_of(p.map().domain(), p.region(i)).value();
      if (alive < level.needed(count)) sum.short_share += share, any_short = true;
      if (alive == 0) sum.lost_share += share, any_lost = true;
    }
    sum.any_short += any_short;
    sum.any_lost += any_lost;
  }
  return {sum.any_short / choices, sum.any_lost / choices, sum.short_share / choices,
          sum.lost_share / choices};
}

TEST(RiskByHand, two_and_three_failures_of_200_maps_with_racks_hosts_and_zones_are_exact) {
  Rng rng(7);
  int five_copies = 0, by_zone = 0, racked = 0, hosted = 0, partial = 0;
  for (int i = 0; i < 200; ++i) {
    const ClusterMap map = small_map(rng);
    const Placement placement = compile(map);
    const Level level = *find_level(rng.below(3) ? "quorum" : rng.below(2) ? "one" : "2");
    const Risk found = risk(placement, level);
    ASSERT_EQ(found.failures.size(), 3U);
    for (std::size_t down : {2U, 3U}) {
      const Counted expected = by_hand(placement, level, static_cast<int>(down));
      const FailureRisk& f = found.failures[down - 1];
      ASSERT_EQ(f.down, down);
      ASSERT_NEAR(f.any_quorum_lost, expected.any_short, 1e-12) << "map " << i;
      ASSERT_NEAR(f.any_data_lost, expected.any_lost, 1e-12) << "map " << i;
      ASSERT_NEAR(f.expected_share_lost, expected.short_share, 1e-12) << "map " << i;
      ASSERT_NEAR(f.expected_share_data_lost, expected.lost_share, 1e-12) << "map " << i;
      partial += expected.any_short > 0 && expected.any_short < 1;
    }
    five_copies += map.replicas().count == 5;
    by_zone += !map.replicas().per_zone.empty();
    racked += map.replicas().across == Across::rack;
    hosted += map.replicas().across == Across::host;
  }
  for (int kind : {five_copies, by_zone, racked, hosted}) EXPECT_GE(kind, 20);
  EXPECT_GE(partial, 100) << "most of them neither certain nor impossible";
}

TEST(RiskByHand,
     any_number_of_nodes_of_one_rack_down_leaves_nothing_below_quorum_where_racks_equal_replicas) {
  for (std::uint32_t replicas : {3U, 5U}) {
    std::vector<Node> nodes = testing::nodes(4 * replicas);
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].rack = "r" + std::to_string(i % replicas);
    const Placement placement = compile(testing::hashed_ring(nodes, 8, replicas, Across::rack));
    for (NodeIndex rack = 0; rack < replicas; ++rack)
      for (std::uint32_t some = 1; some < 16; ++some) {
        NodeSet down(nodes.size());
        for (NodeIndex n = 0; n < 4; ++n)
          if (some >> n & 1) down.insert(rack + n * replicas);
        EXPECT_EQ(risk_down(placement, {}, down).below_quorum.units, 0);
      }
    const Rolling plan = rolling(placement, {});
    ASSERT_EQ(plan.groups.size(), replicas);
    for (std::size_t rack = 0; rack < replicas; ++rack)
      EXPECT_EQ(plan.groups[rack].all_of, "rack r" + std::to_string(rack));
  }
}

}  // namespace
}  // namespace arcwise
