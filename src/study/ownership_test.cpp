#include "arcwise/ownership.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <set>

#include "study/ownership_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;
using ::testing::ElementsAre;

std::uint64_t position(double fraction) {
  return static_cast<std::uint64_t>(std::ldexp(fraction, 53)) * 2048 - 1;
}

/// One token a node at the running sums of `shares`, so that node i owns shares[i].
std::vector<Node> nodes_with_shares(const std::vector<double>& shares) {
  std::vector<Node> list = nodes(shares.size());
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sum += shares[i];
    list[i].tokens = {{i + 1 == shares.size() ? ~std::uint64_t{0} : position(sum)}};
  }
  return list;
}

double effective(const Ownership& o, std::size_t n) {
  return o.nodes[n].effective.value();
}

TEST(Ownership, twelve_equal_arcs_own_a_twelfth_each) {
  const Ownership o = ownership(compile(equal_arcs(12, 3)));
  Share sum;
  for (const NodeOwnership& node : o.nodes) {
    EXPECT_EQ(node.tokens, 1u);
    EXPECT_LE(std::abs(node.share.units - Share::one / 12), 1);  // 2^53 is no multiple of 12
    EXPECT_LE(std::abs(node.effective.units - Share::one / 4), 3);
    EXPECT_DOUBLE_EQ(node.target, 0.25);
    sum += node.share;
  }
  EXPECT_EQ(sum, Share::whole());
  EXPECT_EQ(o.held.units, 3 * Share::one);
  EXPECT_EQ(o.replicas, 3.0);
  EXPECT_EQ(o.ring_entries, 12u);
  EXPECT_EQ(o.regions, 12u);
  EXPECT_EQ(o.replica_sets, 12u);  // each three neighbours
  EXPECT_EQ(o.unowned, Share{});
  EXPECT_NEAR(o.balance.max_over_target, 1, 1e-12);
  EXPECT_NEAR(o.balance.min_over_target, 1, 1e-12);
  EXPECT_NEAR(o.balance.stddev_over_target, 0, 1e-12);
  EXPECT_NEAR(o.balance.usable_capacity, 1, 1e-12);
}

// Positions 0…99 with A 10, B 35, C 60, D 85 and then E 48: E takes 36…48 from C and nothing else.
TEST(Ownership, a_joiner_on_the_small_ring_takes_13_of_100_from_its_successor) {
  const auto at = [](int t) { return std::vector<std::uint64_t>{position((t + 1) / 100.0)}; };
  std::vector<Node> list{node_at("A", at(10)), node_at("B", at(35)), node_at("C", at(60)),
                         node_at("D", at(85))};
  const Ownership before = ownership(compile(given_ring(list)));
  for (const NodeOwnership& node : before.nodes) EXPECT_NEAR(node.share.value(), 0.25, 1e-15);
  list.push_back(node_at("E", at(48)));
  const Ownership after = ownership(compile(given_ring(list)));
  EXPECT_EQ(after.nodes[0].share, before.nodes[0].share);
  EXPECT_EQ(after.nodes[1].share, before.nodes[1].share);
  EXPECT_EQ(after.nodes[3].share, before.nodes[3].share);
  EXPECT_NEAR(after.nodes[2].share.value(), 0.12, 1e-15);
  EXPECT_NEAR(after.nodes[4].share.value(), 0.13, 1e-15);
}

TEST(Ownership, ten_random_looking_nodes_reach_2_84_times_the_fair_share_and_a_ratio_of_23_67) {
  const std::vector<double> shares{0.284, 0.171, 0.139, 0.106, 0.092, 0.074, 0.055, 0.038, 0.029, 0.012};
  const Ownership o = ownership(compile(given_ring(nodes_with_shares(shares))));
  for (std::size_t n = 0; n < shares.size(); ++n) EXPECT_NEAR(o.nodes[n].share.value(), shares[n], 1e-12);
  EXPECT_NEAR(o.balance.max_over_target, 2.84, 1e-9);
  EXPECT_NEAR(o.balance.min_over_target, 0.12, 1e-9);
  EXPECT_NEAR(o.balance.max_over_target / o.balance.min_over_target, 23.67, 0.005);
  EXPECT_NEAR(o.balance.usable_capacity, 1 / 2.84, 1e-9);
}

// Half the fleet has 4 times the capacity of the other half. Equal shares: the small ones, entitled to 1/10
// of what two of each hold (1/25 of ten nodes), are full at 2.5 times that, when 40 % of all capacity is
// used.
TEST(Ownership, equal_shares_on_unequal_machines_use_40_percent_and_weighted_shares_all) {
  std::vector<double> equal, weighted;
  for (int i = 0; i < 10; ++i) {
    equal.push_back(0.1);
    weighted.push_back(i % 2 ? 0.16 : 0.04);
  }
  const auto usable = [](const std::vector<double>& shares) {
    std::vector<Node> list = nodes_with_shares(shares);
    for (std::size_t i = 1; i < list.size(); i += 2) list[i].weight = 4;
    return ownership(compile(given_ring(list))).balance.usable_capacity;
  };
  EXPECT_NEAR(usable(equal), 0.4, 1e-9);
  EXPECT_NEAR(usable(weighted), 1.0, 1e-9);

  // With hashed tokens, all but what the spread of 256 and 1,024 tokens costs.
  std::vector<Node> hashed = nodes(10);
  for (std::size_t i = 1; i < hashed.size(); i += 2) hashed[i].weight = 4;
  const Ownership o = ownership(compile(hashed_ring(hashed, 256)));
  EXPECT_EQ(o.nodes[0].tokens, 256u);
  EXPECT_EQ(o.nodes[1].tokens, 1024u);
  EXPECT_GT(o.balance.usable_capacity, 0.8);
  EXPECT_LT(o.balance.usable_capacity, 1.0);
}

TEST(Ownership, a_node_with_60_percent_of_positions_still_leaves_three_distinct_owners) {
  std::vector<Node> list = nodes(5);
  for (std::uint64_t t = 0; t < 10; ++t)
    list[t < 6 ? 0 : t - 5].tokens.push_back({position((double(t) + 1) / 10)});
  const Placement placement = compile(given_ring(list, 3));
  std::array<NodeIndex, max_replicas> out;
  for (std::size_t i = 0; i < placement.region_count(); ++i) {
    ASSERT_EQ(placement.region_owners(i, {}, out), 3u);
    EXPECT_EQ(std::set<NodeIndex>(out.begin(), out.begin() + 3).size(), 3u);
  }
  const Ownership o = ownership(placement);
  EXPECT_NEAR(o.nodes[0].share.value(), 0.6, 1e-15);
  // It owns its six arcs and, as second or third owner, the two that end just before them.
  EXPECT_NEAR(effective(o, 0), 0.8, 1e-15);
  EXPECT_EQ(o.replicas, 3.0);
}

TEST(Ownership, three_machines_with_two_instances_each_hold_one_copy_a_machine) {
  std::vector<Node> list = nodes_with_shares({0.05, 0.3, 0.1, 0.2, 0.25, 0.1});
  for (std::size_t i = 0; i < list.size(); ++i) list[i].host = "m" + std::to_string(i / 2);
  const ClusterMap map = given_ring(list, 3, Across::host);
  const Placement placement = compile(map);
  const Ownership o = ownership(placement);
  for (const GroupOwnership& host : group_ownership(map, o, Across::host)) {
    EXPECT_EQ(host.nodes, 2u);
    EXPECT_EQ(host.effective, Share::whole());
    EXPECT_DOUBLE_EQ(host.target, 1);
  }
  for (const NodeOwnership& node : o.nodes) EXPECT_DOUBLE_EQ(node.target, 0.5);
  // The first instance of a machine met clockwise holds its copy: n00 what ends at its own token or before,
  // up to n01's: 0.05 and all that follows 0.35. n01 gets its own arc only.
  EXPECT_NEAR(effective(o, 0), 0.7, 1e-15);
  EXPECT_NEAR(effective(o, 1), 0.3, 1e-15);
}

TEST(Ownership, one_token_is_the_whole_circle) {
  const Ownership o = ownership(compile(given_ring({node_at("a", {42})})));
  EXPECT_EQ(o.nodes[0].share, Share::whole());
  EXPECT_EQ(o.replica_sets, 1u);
  EXPECT_EQ(o.balance.usable_capacity, 1.0);
}

TEST(Ownership, joining_nodes_hold_nothing_and_leaving_ones_keep_everything) {
  std::vector<Node> list = nodes(4);
  const Ownership before = ownership(compile(hashed_ring(list, 16)));
  list[1].state = NodeState::leaving;
  list.push_back(node("new"));
  list.back().state = NodeState::joining;
  const Ownership o = ownership(compile(hashed_ring(list, 16)));
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(o.nodes[n].share, before.nodes[n].share);
    EXPECT_EQ(o.nodes[n].target, 0.25);
  }
  EXPECT_EQ(o.nodes[4].tokens, 0u);
  EXPECT_EQ(o.nodes[4].share, Share{});
  EXPECT_EQ(o.nodes[4].target, 0.0);
  EXPECT_EQ(o.nodes[4].ratio(), 0.0);
  EXPECT_EQ(o.balance.min_over_target, before.balance.min_over_target);
}

TEST(Ownership, of_a_mask_is_what_the_others_then_hold) {
  const Placement placement = compile(equal_arcs(4, 2));
  NodeSet down(4);
  down.insert(1);
  const Ownership o = ownership(placement, NodeMask(down));
  EXPECT_EQ(o.nodes[1].share, Share{});
  EXPECT_EQ(o.nodes[1].target, 0.0);
  EXPECT_EQ(o.nodes[2].share.value(), 0.5);  // its own arc and n01's
  EXPECT_EQ(effective(o, 2), 0.75);          // …and n00's second copy
  EXPECT_EQ(o.replicas, 2.0);
  EXPECT_EQ(o.replica_sets, 3u);
  for (NodeIndex n : {0u, 2u, 3u}) EXPECT_NEAR(o.nodes[n].target, 2.0 / 3, 1e-15);

  for (NodeIndex n : {0u, 2u, 3u}) down.insert(n);
  const Ownership nobody = ownership(placement, NodeMask(down));
  EXPECT_EQ(nobody.unowned, Share::whole());
  EXPECT_EQ(nobody.replica_sets, 0u);
  EXPECT_EQ(nobody.balance.usable_capacity, 0.0);
}

// Two masters with a quarter and a half of the slots, a replica of the first, one more master without slots.
TEST(Ownership, slots_without_an_owner_are_counted_and_all_nodes_are_entitled_to_some) {
  auto p = parts("redis-cluster", nodes(4), 2);
  p.placement.slots = 16384;
  p.placement.table = {{{4095}, {0, 2}}, {{12287}, {1}}, {{16383}, {}}};
  const Placement placement = compile(map_of(p));
  const Ownership o = ownership(placement);
  EXPECT_EQ(o.nodes[0].share.value(), 0.25);
  EXPECT_EQ(o.nodes[1].share.value(), 0.5);
  EXPECT_EQ(effective(o, 2), 0.25);
  EXPECT_EQ(o.nodes[2].share, Share{});
  EXPECT_EQ(o.unowned.value(), 0.25);
  EXPECT_EQ(o.replicas, 1.0);
  EXPECT_EQ(o.replica_sets, 2u);
  EXPECT_EQ(o.ring_entries, 3u);
  for (const NodeOwnership& node : o.nodes) EXPECT_EQ(node.target, 0.25);
  EXPECT_EQ(o.balance.max_over_target, 2.0);
  EXPECT_EQ(o.balance.min_over_target, 0.0);
}

TEST(Ownership, only_nodes_that_some_range_lists_are_entitled_where_ranges_are_listed) {
  const Ownership o =
      ownership(compile(table(nodes(3), {{{~std::uint64_t{0} / 2}, {0, 1}}, {{~std::uint64_t{0}}, {1}}}, 2)));
  EXPECT_EQ(o.replicas, 1.5);
  EXPECT_EQ(o.nodes[0].target, 0.75);
  EXPECT_EQ(o.nodes[1].target, 0.75);
  EXPECT_EQ(o.nodes[2].target, 0.0);
}

TEST(Ownership, groups_are_named_with_their_zone_and_sorted) {
  std::vector<Node> list{node("a", 1, "r1", "z2", "h"), node("b", 1, "r1", "z1", "h"),
                         node("c", 1, "r1", "z2", "i")};
  const ClusterMap map = hashed_ring(list, 8);
  const Ownership o = ownership(compile(map));
  const auto names = [&](Across level) {
    std::vector<std::string> out;
    for (const GroupOwnership& g : group_ownership(map, o, level)) out.push_back(g.name);
    return out;
  };
  EXPECT_THAT(names(Across::rack), ElementsAre("z1/r1", "z2/r1"));
  EXPECT_THAT(names(Across::zone), ElementsAre("z1", "z2"));
  EXPECT_THAT(names(Across::host), ElementsAre("h", "i"));
  EXPECT_THAT(names(Across::node), ElementsAre("a", "b", "c"));
  EXPECT_EQ(group_ownership(map, o, Across::rack)[1].nodes, 2u);
  for (Node& n : list) n.zone.clear();
  const ClusterMap unzoned = hashed_ring(list, 8);
  EXPECT_EQ(group_ownership(unzoned, ownership(compile(unzoned)), Across::rack)[0].name, "r1");
}

// The sample knows nothing of regions; on a ring it must agree with them. error_95 is missed by one share in
// twenty.
TEST(Ownership, sampled_from_keys_agrees_with_the_regions) {
  std::vector<Node> list = nodes(8);
  list[3].weight = 4;
  const Placement placement = compile(hashed_ring(list, 16, 3));
  const Ownership exact = ownership(placement);
  EXPECT_FALSE(exact.sampled);
  const Ownership sampled = sampled_ownership(placement, {}, 1, 1 << 16);
  ASSERT_TRUE(sampled.sampled);
  EXPECT_EQ(sampled.sampled->keys, std::uint64_t{1} << 16);
  EXPECT_NEAR(sampled.sampled->error_95, 1.96 * 0.5 / 256, 0.0002);
  Share sum;
  for (std::size_t n = 0; n < list.size(); ++n) {
    EXPECT_NEAR(effective(sampled, n), effective(exact, n), 1.6 * sampled.sampled->error_95);
    EXPECT_DOUBLE_EQ(sampled.nodes[n].target, exact.nodes[n].target);
    sum += sampled.nodes[n].share;
  }
  EXPECT_EQ(sum, Share::whole());
  EXPECT_EQ(sampled.held, exact.held);
  EXPECT_EQ(sampled.replica_sets, exact.replica_sets);
  EXPECT_EQ(sampled_ownership(placement, {}, 1, 1 << 16).nodes[0].share, sampled.nodes[0].share);
}

RC_GTEST_PROP(Ownership, sums_are_exact_for_every_map, ()) {
  const ClusterMap map = any_map();
  const Placement placement = compile(map);
  const Ownership o = ownership(placement);
  Share share, held;
  double target = 0;
  std::uint64_t tokens = 0;
  for (const NodeOwnership& node : o.nodes) {
    share += node.share;
    held += node.effective;
    target += node.target;
    tokens += node.tokens;
    RC_ASSERT(node.share <= node.effective);
    RC_ASSERT(node.effective <= Share::whole());
    RC_ASSERT(node.target <= 1 + 1e-12);
    RC_ASSERT(node.target > 0 || node.effective == Share{});
  }
  RC_ASSERT(share == Share::whole());
  RC_ASSERT(held == o.held);
  RC_ASSERT(tokens == o.ring_entries);
  RC_ASSERT(std::abs(target - o.replicas) < 1e-9);
  std::array<NodeIndex, max_replicas> out;
  RC_ASSERT(o.held.units == static_cast<std::int64_t>(placement.region_owners(0, {}, out)) * Share::one);
  for (Across level : {Across::node, Across::host, Across::rack, Across::zone}) {
    Share group_share;
    double group_target = 0;
    for (const GroupOwnership& g : group_ownership(map, o, level)) {
      group_share += g.share;
      group_target += g.target;
    }
    RC_ASSERT(group_share == Share::whole());
    RC_ASSERT(std::abs(group_target - o.replicas) < 1e-9);
  }
}

RC_GTEST_PROP(Ownership, replica_sets_are_the_distinct_owner_sets, ()) {
  const Placement placement = compile(any_map());
  std::set<std::set<NodeIndex>> sets;
  std::array<NodeIndex, max_replicas> out;
  for (std::size_t i = 0; i < placement.region_count(); ++i)
    sets.emplace(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(placement.region_owners(i, {}, out)));
  RC_ASSERT(ownership(placement).replica_sets == sets.size());
}

}  // namespace
}  // namespace arcwise
