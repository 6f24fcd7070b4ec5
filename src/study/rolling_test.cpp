#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "arcwise/risk.hpp"
#include "study/risk_sets.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

ClusterMap racked(std::size_t nodes, std::size_t racks, std::uint32_t replicas, std::uint32_t tokens) {
  std::vector<Node> list = testing::nodes(nodes);
  for (std::size_t i = 0; i < nodes; ++i) list[i].rack = "r" + std::to_string(i % racks);
  return testing::hashed_ring(list, tokens, replicas, Across::rack);
}

// The definition: with one group away, no range has lost more than one owner.
void expect_groups_hold(const Placement& placement, const Rolling& plan) {
  std::multiset<std::string> listed;
  const ReplicaSets sets = replica_sets(placement);
  for (const RollingGroup& group : plan.groups) {
    listed.insert(group.nodes.begin(), group.nodes.end());
    for (const auto& set : sets.sets) {
      std::size_t away = 0;
      for (NodeIndex n : sets.owners(set))
        away += std::binary_search(group.nodes.begin(), group.nodes.end(), placement.map().nodes()[n].name);
      ASSERT_LE(away, 1u);
    }
  }
  ASSERT_EQ(listed.size(), placement.map().nodes().size());
  ASSERT_EQ(std::set<std::string>(listed.begin(), listed.end()).size(), listed.size())
      << "a node in two groups";
  ASSERT_GE(plan.groups.size(), plan.least_groups);
}

TEST(Rolling, racks_equal_to_replicas_are_the_groups) {
  const Placement placement = compile(racked(12, 3, 3, 64));
  const Rolling plan = rolling(placement, {});
  expect_groups_hold(placement, plan);
  ASSERT_EQ(plan.groups.size(), 3u);
  EXPECT_EQ(plan.least_groups, 3u);
  EXPECT_EQ(plan.groups[0].all_of, "rack r0");
  EXPECT_EQ(plan.groups[0].nodes, (std::vector<std::string>{"n00", "n03", "n06", "n09"}));
  // With a whole rack away every range has two of three owners: any other node down costs all that it holds.
  double others = 0;
  for (const RollingGroup& group : plan.groups) {
    EXPECT_EQ(group.further.harmless, 0u);
    EXPECT_GT(group.further.worst_share.value(), group.further.mean_share);
    others += group.further.mean_share * 8;
  }
  EXPECT_NEAR(others, 3 * 2, 1e-9) << "two owners of each range are outside each group";
}

TEST(Rolling, single_tokens_let_far_nodes_restart_together) {
  const Placement placement = compile(testing::equal_arcs(12, 3));
  const Rolling plan = rolling(placement, {});
  expect_groups_hold(placement, plan);
  EXPECT_EQ(plan.groups.size(), 3u) << "neighbours within three arcs share ranges, others do not";
  for (const RollingGroup& group : plan.groups) EXPECT_EQ(group.nodes.size(), 4u);
}

TEST(Rolling, many_random_tokens_let_nodes_restart_one_by_one_only) {
  const Placement placement = compile(testing::hashed_ring(testing::nodes(12), 256, 3));
  const Rolling plan = rolling(placement, {});
  expect_groups_hold(placement, plan);
  EXPECT_EQ(plan.groups.size(), 12u);
}

TEST(Rolling, one_owner_needed_costs_nothing_further) {
  const Rolling plan = rolling(compile(racked(6, 3, 3, 16)), *find_level("one"));
  for (const RollingGroup& group : plan.groups) {
    EXPECT_EQ(group.further.worst, "");
    EXPECT_EQ(group.further.mean_share, 0);
    EXPECT_EQ(group.further.harmless, 4u);
  }
}

TEST(Rolling, the_cost_of_one_more_failure_is_what_risk_says_of_the_group_and_that_node_down) {
  const Placement placement = compile(racked(9, 3, 3, 8));
  for (const RollingGroup& group : rolling(placement, {}).groups) {
    NodeSet down(9);
    for (const std::string& name : group.nodes) down.insert(*placement.map().find(name));
    down.insert(*placement.map().find(group.further.worst));
    EXPECT_EQ(risk_down(placement, {}, down).below_quorum, group.further.worst_share);
  }
}

// Slots of masters with one replica each: n0 and n1, n2 and n3, …
ClusterMap sharded(std::size_t masters) {
  ClusterMap::Parts parts;
  parts.placement.recipe = find_recipe("redis-cluster");
  parts.placement.hash = KeyHashId::crc16;
  parts.placement.slots = 16384;
  parts.replicas.count = 2;
  parts.nodes = testing::nodes(2 * masters);
  for (std::size_t m = 0; m < masters; ++m)
    parts.placement.table.push_back({{m + 1 == masters ? 16383 : (m + 1) * (16384 / masters) - 1},
                                     {static_cast<NodeIndex>(2 * m), static_cast<NodeIndex>(2 * m + 1)}});
  return *ClusterMap::build(std::move(parts));
}

TEST(Rolling, a_strict_majority_of_masters_stays_up_and_replicas_come_first) {
  for (const std::size_t masters : {3u, 4u, 5u, 7u}) {
    const Rolling plan = rolling(compile(sharded(masters)), *find_level("one"));
    ASSERT_TRUE(plan.masters);
    EXPECT_EQ(plan.masters->all, masters);
    EXPECT_EQ(plan.masters->may_restart, masters - (masters / 2 + 1));
    EXPECT_EQ(plan.groups.front().masters, 0u) << "replicas";
    for (const RollingGroup& group : plan.groups) {
      EXPECT_LE(group.masters, plan.masters->may_restart);
      EXPECT_EQ(group.below_level.units, 0);
      EXPECT_TRUE(group.masters == 0 || group.masters == group.nodes.size()) << "roles mixed";
    }
  }
}

TEST(Rolling, a_master_that_is_down_counts_against_the_majority) {
  const ClusterMap map = sharded(3);
  NodeSet down(6);
  down.insert(0);
  const Rolling plan = rolling(compile(map), *find_level("one"), down);
  EXPECT_EQ(plan.masters->may_restart, 0u);
  ASSERT_EQ(plan.down, std::vector<std::string>{map.nodes()[0].name});
  for (const RollingGroup& group : plan.groups)
    if (group.masters) {
      EXPECT_EQ(group.nodes.size(), 1u);
      EXPECT_NEAR(group.below_level.value(), 1.0 / 3, 1e-3) << "nobody is promoted in its place";
    }
}

TEST(Rolling, with_one_copy_each_node_restarts_alone_and_its_share_is_away) {
  const Placement placement = compile(testing::equal_arcs(5, 1));
  const Rolling plan = rolling(placement, {});
  ASSERT_EQ(plan.groups.size(), 5u);
  for (const RollingGroup& group : plan.groups) {
    EXPECT_NEAR(group.lost.value(), 0.2, 1e-9);
    EXPECT_NEAR(group.below_level.value(), 0.2, 1e-9);
  }
}

TEST(Rolling, with_two_copies_a_quorum_is_gone_and_one_owner_remains) {
  const Placement placement = compile(testing::equal_arcs(6, 2));
  for (const RollingGroup& group : rolling(placement, {}).groups) {
    EXPECT_EQ(group.nodes.size(), 1u);
    EXPECT_NEAR(group.below_level.value(), 2.0 / 6, 1e-9);
    EXPECT_EQ(group.lost.units, 0);
  }
  EXPECT_EQ(rolling(placement, *find_level("one")).groups.size(), 2u);
}

// 12 arcs, three copies: with n00 down, its two neighbours on either side have ranges of two live owners.
TEST(Rolling, beside_a_node_that_is_down_its_co_owners_go_alone_with_what_they_cost) {
  const ClusterMap map = testing::equal_arcs(12, 3);
  NodeSet down(12);
  down.insert(0);
  const Rolling plan = rolling(compile(map), {}, down);
  std::size_t alone = 0, listed = 0;
  for (const RollingGroup& group : plan.groups) {
    listed += group.nodes.size();
    if (group.below_level.units == 0) continue;
    ++alone;
    EXPECT_EQ(group.nodes.size(), 1u);
    NodeSet away = down;
    away.insert(*map.find(group.nodes[0]));
    EXPECT_EQ(risk_down(compile(map), {}, away).below_quorum, group.below_level);
  }
  EXPECT_EQ(alone, 4u);
  EXPECT_EQ(listed, 11u) << "what is down restarts with nobody";
  EXPECT_EQ(plan.below_now.units, 0);
}

RC_GTEST_PROP(Rolling, no_range_loses_two_owners_whatever_the_map, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(3, 14);
  const auto replicas = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto tokens = *rc::gen::inRange<std::uint32_t>(1, 6);
  const Placement placement = compile(testing::hashed_ring(testing::nodes(nodes), tokens, replicas));
  expect_groups_hold(placement, rolling(placement, {}));
}

}  // namespace
}  // namespace arcwise
