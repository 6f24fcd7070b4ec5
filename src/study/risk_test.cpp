#include "arcwise/risk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "study/risk_maps.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

const Level quorum{};
constexpr std::int64_t rounding = 1 << 13;  // units of 2^-53, within which losses are one loss

double share(Share s) {
  return s.value();
}

TEST(Level, needs_a_majority_one_all_or_a_number) {
  EXPECT_EQ(find_level("quorum")->needed(3), 2u);
  EXPECT_EQ(find_level("quorum")->needed(2), 2u);
  EXPECT_EQ(find_level("quorum")->needed(5), 3u);
  EXPECT_EQ(find_level("one")->needed(3), 1u);
  EXPECT_EQ(find_level("all")->needed(3), 3u);
  EXPECT_EQ(find_level("2")->needed(3), 2u);
  for (const char* text : {"", "0", "two", "-1", "65", "99999999999", "QUORUM"})
    EXPECT_FALSE(find_level(text)) << text;
}

struct Charted {
  std::uint32_t tokens;
  double co_owning;
};
class HundredNodes : public ::testing::TestWithParam<Charted> {};

TEST_P(HundredNodes, co_owning_pairs_grow_with_tokens_while_the_expected_share_does_not) {
  const Risk r = risk(testing::placed(testing::ring_parts(100, GetParam().tokens, 3)), quorum);
  EXPECT_NEAR(r.co_owner_fraction, GetParam().co_owning, 0.02);
  EXPECT_NEAR(r.co_owner_fraction, 1 - std::exp(-4.0 * GetParam().tokens / 99), 0.02);
  EXPECT_EQ(r.nodes, 100u);
  EXPECT_EQ(r.tolerated, 1u);
  ASSERT_EQ(r.failures.size(), 3u);
  EXPECT_EQ(r.failures[1].expected_share_lost, 3.0 / 4950);
  EXPECT_EQ(r.mean_pair_loss, 3.0 / 4950);
  EXPECT_EQ(r.failures[1].any_quorum_lost, r.co_owner_fraction);
  EXPECT_EQ(r.failures[1].any_data_lost, 0);
  EXPECT_EQ(r.failures[2].expected_share_data_lost, 1.0 / 161700);
}

INSTANTIATE_TEST_SUITE_P(Chart, HundredNodes,
                         ::testing::Values(Charted{1, .040}, Charted{2, .078}, Charted{4, .150},
                                           Charted{8, .279}, Charted{16, .478}, Charted{32, .727},
                                           Charted{64, .926}, Charted{256, .999}),
                         [](const auto& info) { return std::to_string(info.param.tokens) + "_tokens"; });

TEST(Risk, every_pair_of_a_hundred_nodes_shares_a_range_at_256_tokens) {
  EXPECT_GE(risk(testing::placed(testing::ring_parts(100, 256, 3)), quorum).co_owner_fraction, 0.999);
}

TEST(Risk, one_token_each_makes_a_hundred_sets_and_four_co_owners_a_node) {
  const Risk r = risk(testing::placed(testing::ring_parts(100, 1, 3)), quorum);
  EXPECT_EQ(r.replica_sets, 100u);
  EXPECT_EQ(r.co_owner_pairs, 200u);
  EXPECT_EQ(r.scatter_width.min, 4u);
  EXPECT_EQ(r.scatter_width.max, 4u);
  EXPECT_EQ(r.scatter_width.mean, 4);
}

TEST(Risk, replica_sets_of_a_hundred_nodes) {
  EXPECT_NEAR(
      static_cast<double>(risk(testing::placed(testing::ring_parts(100, 16, 3)), quorum).replica_sets), 1550,
      30);
  EXPECT_NEAR(
      static_cast<double>(risk(testing::placed(testing::ring_parts(100, 64, 3)), quorum).replica_sets), 6104,
      90);
  EXPECT_NEAR(
      static_cast<double>(risk(testing::placed(testing::ring_parts(100, 256, 3)), quorum).replica_sets),
      23039, 250);
}

TEST(Risk, five_hundred_nodes) {
  const Risk few = risk(testing::placed(testing::ring_parts(500, 16, 3)), quorum);
  const Risk many = risk(testing::placed(testing::ring_parts(500, 256, 3)), quorum);
  EXPECT_NEAR(few.co_owner_fraction, 0.12, 0.01);
  EXPECT_NEAR(many.co_owner_fraction, 0.87, 0.01);
  EXPECT_EQ(few.failures[1].expected_share_lost, 3.0 / 124750);
  EXPECT_EQ(many.failures[1].expected_share_lost, 3.0 / 124750);
}

// Small failures are likelier to lose something with many sets, large ones less likely to lose everything;
// the sum of what two failures cost is the same.
TEST(Risk, a_hundred_equal_arcs_lose_two_one_or_nothing_percent) {
  const Risk r = risk(compile(testing::equal_arcs(100, 3)), quorum);
  ASSERT_EQ(r.pair_losses.size(), 3u);
  EXPECT_NEAR(share(r.pair_losses[0].share), 0.02, 1e-12);
  EXPECT_EQ(r.pair_losses[0].pairs, 100u);
  EXPECT_NEAR(share(r.pair_losses[1].share), 0.01, 1e-12);
  EXPECT_EQ(r.pair_losses[1].pairs, 100u);
  EXPECT_EQ(r.pair_losses[2].share.units, 0);
  EXPECT_EQ(r.pair_losses[2].pairs, 4750u);
  EXPECT_NEAR(r.failures[1].any_quorum_lost, 200.0 / 4950, 1e-15);
}

TEST(Risk, equal_arcs_of_a_power_of_two_are_equal_to_the_last_bit) {
  const Risk r = risk(compile(testing::equal_arcs(128, 3)), quorum);
  ASSERT_EQ(r.pair_losses.size(), 3u);
  EXPECT_EQ(share(r.pair_losses[0].share), 2.0 / 128);
  EXPECT_EQ(share(r.pair_losses[1].share), 1.0 / 128);
  EXPECT_EQ(r.worst_pair.a, "n00");
  EXPECT_EQ(r.worst_pair.b, "n01");
  EXPECT_EQ(share(r.worst_pair.share), 2.0 / 128);
}

TEST(Risk, six_nodes_of_three_tokens_lose_a_fifth_for_the_mean_pair_and_about_46_percent_for_the_worst) {
  double worst = 0;
  constexpr int rings = 300;
  for (int i = 0; i < rings; ++i) {
    const Risk r =
        risk(testing::placed(testing::ring_parts(6, 3, 3, "ring" + std::to_string(i) + "-")), quorum);
    EXPECT_EQ(r.mean_pair_loss, 0.2);
    double sum = 0;
    for (const auto& loss : r.pair_losses) sum += share(loss.share) * static_cast<double>(loss.pairs);
    EXPECT_NEAR(sum / 15, 0.2, 1e-12);
    worst += share(r.worst_pair.share);
  }
  EXPECT_NEAR(worst / rings, 0.46, 0.02);
}

TEST(Risk, two_copies_under_majority_tolerate_no_failure) {
  const Risk r = risk(testing::placed(testing::ring_parts(2, 16, 2)), quorum);
  EXPECT_EQ(r.tolerated, 0u);
  EXPECT_EQ(r.failures[0].any_quorum_lost, 1);
  EXPECT_EQ(r.failures[0].expected_share_lost, 1);
  EXPECT_EQ(r.failures[0].any_data_lost, 0);
  ASSERT_EQ(r.failures.size(), 2u);
  EXPECT_EQ(r.failures[1].any_data_lost, 1);
  EXPECT_EQ(risk(testing::placed(testing::ring_parts(3, 16, 3)), quorum).tolerated, 1u);
}

TEST(Risk, the_level_decides_how_many_failures_are_tolerated) {
  const Placement p = testing::placed(testing::ring_parts(10, 16, 3));
  EXPECT_EQ(risk(p, *find_level("one")).tolerated, 2u);
  EXPECT_EQ(risk(p, *find_level("all")).tolerated, 0u);
  EXPECT_EQ(risk(p, *find_level("5")).tolerated, 0u);
  EXPECT_EQ(risk(p, *find_level("5")).failures[0].any_quorum_lost, 1);  // five of three are never there
}

TEST(Risk, a_joining_node_cannot_fail_and_a_leaving_one_can) {
  auto parts = testing::ring_parts(5, 16, 3);
  parts.nodes[0].state = NodeState::joining;
  parts.nodes[1].state = NodeState::leaving;
  const Risk r = risk(testing::placed(parts), quorum);
  EXPECT_EQ(r.nodes, 4u);
  EXPECT_EQ(r.failures[1].expected_share_lost, 0.5);  // 3 of the 6 pairs for every range
}

TEST(Risk, a_range_without_owners_is_short_already) {
  const Risk r = risk(testing::placed(testing::table_parts("ranges", 3, {{0, 1, 2}, {}})), quorum);
  EXPECT_EQ(r.tolerated, 0u);
  EXPECT_EQ(r.replica_sets, 1u);
  EXPECT_EQ(r.failures[0].any_quorum_lost, 1);
  EXPECT_EQ(r.failures[0].expected_share_lost, 0.5);
}

// The same placement by hand: every set of k nodes fails once.
struct ByHand {
  double any_short = 0, any_lost = 0, short_share = 0, lost_share = 0;
};
ByHand by_hand(const Placement& p, const Level& level, std::size_t nodes, int down) {
  ByHand sum;
  double choices = 0;
  std::vector<NodeIndex> owners(p.max_owners());
  for (std::uint32_t dead = 0; dead < (1u << nodes); ++dead) {
    if (std::popcount(dead) != down) continue;
    Share below, lost;
    bool any_below = false, any_lost = false;
    for (std::size_t i = 0; i < p.region_count(); ++i) {
      const std::size_t count = p.region_owners(i, {}, owners);
      std::uint32_t alive = 0;
      for (std::size_t k = 0; k < count; ++k) alive += !(dead >> owners[k] & 1);
      if (alive < level.needed(count)) below += share_of(p.map().domain(), p.region(i)), any_below = true;
      if (alive == 0) lost += share_of(p.map().domain(), p.region(i)), any_lost = true;
    }
    ++choices;
    sum.any_short += any_below;
    sum.any_lost += any_lost;
    sum.short_share += below.value();
    sum.lost_share += lost.value();
  }
  return {sum.any_short / choices, sum.any_lost / choices, sum.short_share / choices,
          sum.lost_share / choices};
}

std::vector<std::vector<NodeIndex>> any_rows(std::size_t nodes) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<std::vector<NodeIndex>> rows(count);
  const int least = *rc::gen::inRange(0, 5);
  for (auto& row : rows)
    for (NodeIndex n = 0; n < nodes; ++n)
      if (row.size() < 6 && *rc::gen::inRange(0, 10) < 3 + least) row.push_back(n);
  return rows;
}

RC_GTEST_PROP(Risk, counts_every_choice_of_failures_exactly, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(1, 9);
  const Placement p = testing::placed(testing::table_parts("ranges", nodes, any_rows(nodes)));
  const Level level =
      *rc::gen::element(quorum, *find_level("one"), *find_level("all"), *find_level("2"), *find_level("3"));
  const Risk r = risk(p, level);
  RC_ASSERT(r.failures.size() == std::min<std::size_t>(3, nodes));
  for (const FailureRisk& f : r.failures) {
    const ByHand expected = by_hand(p, level, nodes, static_cast<int>(f.down));
    RC_ASSERT(std::abs(f.any_quorum_lost - expected.any_short) < 1e-12);
    RC_ASSERT(std::abs(f.any_data_lost - expected.any_lost) < 1e-12);
    RC_ASSERT(std::abs(f.expected_share_lost - expected.short_share) < 1e-12);
    RC_ASSERT(std::abs(f.expected_share_data_lost - expected.lost_share) < 1e-12);
  }
}

RC_GTEST_PROP(Risk, pair_losses_are_what_risk_down_says_of_each_pair, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(2, 8);
  const Placement p = testing::placed(testing::table_parts("ranges", nodes, any_rows(nodes)));
  const Level level = *rc::gen::element(quorum, *find_level("all"), *find_level("2"));
  std::vector<std::int64_t> expected;
  for (NodeIndex a = 0; a < nodes; ++a)
    for (NodeIndex b = a + 1; b < nodes; ++b) {
      NodeSet down(nodes);
      down.insert(a);
      down.insert(b);
      expected.push_back(risk_down(p, level, down).below_quorum.units);
    }
  std::sort(expected.rbegin(), expected.rend());
  const Risk r = risk(p, level);
  std::vector<std::int64_t> told;
  for (const auto& loss : r.pair_losses) told.insert(told.end(), loss.pairs, loss.share.units);
  RC_ASSERT(told.size() == expected.size());
  for (std::size_t i = 0; i < told.size(); ++i) RC_ASSERT(std::abs(told[i] - expected[i]) <= rounding);
  RC_ASSERT(std::abs(r.worst_pair.share.units - expected.front()) <= rounding);
  NodeSet worst(nodes);
  worst.insert(*p.map().find(r.worst_pair.a));
  worst.insert(*p.map().find(r.worst_pair.b));
  RC_ASSERT(risk_down(p, level, worst).below_quorum == r.worst_pair.share);
}

TEST(RiskDown, a_whole_rack_costs_one_copy_where_racks_equal_replicas) {
  auto parts = testing::ring_parts(12, 16, 3);
  parts.replicas.across = Across::rack;
  for (std::size_t i = 0; i < 12; ++i) parts.nodes[i].rack = "r" + std::to_string(i % 3);
  const Placement p = testing::placed(parts);
  for (NodeIndex rack = 0; rack < 3; ++rack) {
    NodeSet down(12);
    for (NodeIndex n = rack; n < 12; n += 3) down.insert(n);
    const DownRisk r = risk_down(p, quorum, down);
    EXPECT_EQ(r.down.size(), 4u);
    EXPECT_EQ(r.below_quorum.units, 0);
    EXPECT_TRUE(r.example_keys.empty());
    std::vector<NodeIndex> owners(3);
    for (std::size_t i = 0; i < p.region_count(); ++i) {
      ASSERT_EQ(p.region_owners(i, {}, owners), 3u);
      EXPECT_EQ(std::count_if(owners.begin(), owners.end(), [&](NodeIndex n) { return !down.contains(n); }),
                2);
    }
  }
  // One node each in two racks is another matter.
  NodeSet down(12);
  down.insert(0);
  down.insert(1);
  EXPECT_GT(risk_down(p, quorum, down).below_quorum.units, 0);
}

TEST(RiskDown, both_instances_of_a_machine_cost_one_copy_across_hosts) {
  auto parts = testing::ring_parts(6, 16, 3);
  for (std::size_t i = 0; i < 6; ++i) parts.nodes[i].host = "m" + std::to_string(i / 2);
  parts.replicas.across = Across::host;
  const Placement across_hosts = testing::placed(parts);
  parts.replicas.across = Across::node;
  const Placement across_nodes = testing::placed(parts);
  double lost_without = 0;
  for (NodeIndex machine = 0; machine < 3; ++machine) {
    NodeSet down(6);
    down.insert(2 * machine);
    down.insert(2 * machine + 1);
    EXPECT_EQ(risk_down(across_hosts, quorum, down).below_quorum.units, 0);
    lost_without += share(risk_down(across_nodes, quorum, down).below_quorum);
  }
  EXPECT_GT(lost_without, 0);
  std::vector<NodeIndex> owners(3);
  for (std::size_t i = 0; i < across_hosts.region_count(); ++i) {
    ASSERT_EQ(across_hosts.region_owners(i, {}, owners), 3u);
    EXPECT_NE(owners[0] / 2, owners[1] / 2);
    EXPECT_NE(owners[1] / 2, owners[2] / 2);
    EXPECT_NE(owners[0] / 2, owners[2] / 2);
  }
}

TEST(RiskDown, names_keys_that_really_have_too_few_owners) {
  const Placement p = testing::placed(testing::ring_parts(50, 16, 3));
  NodeSet down(50);
  for (NodeIndex n : {4u, 17u, 33u}) down.insert(n);
  const DownRisk r = risk_down(p, quorum, down);
  EXPECT_EQ(r.down, (std::vector<std::string>{"n17", "n33", "n4"}));
  ASSERT_GT(r.below_quorum.units, 0);
  ASSERT_EQ(r.example_keys.size(), 3u);
  std::vector<NodeIndex> owners(3);
  for (const std::string& key : r.example_keys) {
    ASSERT_EQ(p.owners({key, p.hash(key), {}}, owners), 3u);
    EXPECT_GE(std::count_if(owners.begin(), owners.end(), [&](NodeIndex n) { return down.contains(n); }), 2);
  }
}

TEST(RiskDown, nobody_down_costs_nothing_and_everybody_everything) {
  const Placement p = testing::placed(testing::ring_parts(4, 16, 3));
  EXPECT_EQ(risk_down(p, quorum, NodeSet(4)).below_quorum.units, 0);
  NodeSet all(4);
  for (NodeIndex n = 0; n < 4; ++n) all.insert(n);
  EXPECT_EQ(risk_down(p, quorum, all).lost, Share::whole());
}

TEST(Level, one_live_owner_serves_where_another_is_promoted) {
  auto p = testing::parts("redis-cluster", {testing::node("m"), testing::node("r")}, 2);
  p.placement.slots = 16384;
  p.placement.table = {{{16383}, {0, 1}}};
  EXPECT_EQ(serving_level(testing::map_of(p)).needed(2), 1u);
  EXPECT_EQ(serving_level(testing::map_of(testing::parts("ring", {testing::node("a")}))).needed(3), 2u);
}

}  // namespace
}  // namespace arcwise
