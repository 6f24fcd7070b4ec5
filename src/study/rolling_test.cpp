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

RC_GTEST_PROP(Rolling, no_range_loses_two_owners_whatever_the_map, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(3, 14);
  const auto replicas = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto tokens = *rc::gen::inRange<std::uint32_t>(1, 6);
  const Placement placement = compile(testing::hashed_ring(testing::nodes(nodes), tokens, replicas));
  expect_groups_hold(placement, rolling(placement, {}));
}

}  // namespace
}  // namespace arcwise
