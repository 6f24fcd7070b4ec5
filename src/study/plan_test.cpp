#include <gtest/gtest.h>

#include <algorithm>

#include "arcwise/change.hpp"
#include "arcwise/check.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using testing::given_ring;
using testing::map_of;
using testing::node;

constexpr double TB = 1e12, GB = 1e9, MB = 1e6;
constexpr std::uint64_t seed = 1;

NewNode named(std::string name) {
  NewNode n;
  n.name = std::move(name);
  return n;
}

Plan run(const ClusterMap& before, const Change& change, const CostOptions& cost = {}) {
  std::vector<Finding> warnings;
  const auto after = apply(before, change, warnings);
  if (!after) throw std::runtime_error(to_string(after.error()));
  return plan(before, *after, change, cost, seed);
}

CostOptions fleet() {
  CostOptions cost;
  cost.data_bytes = 24 * TB;
  cost.node_bandwidth = 250 * MB;
  return cost;
}
CostOptions filled(double utilisation) {
  CostOptions cost;
  cost.utilisation = utilisation;
  return cost;
}

const NodeFlow& flow(const Plan& p, const std::string& name) {
  return *std::find_if(p.flows.begin(), p.flows.end(), [&](const NodeFlow& f) { return f.name == name; });
}
const Finding* finding(const Plan& p, std::string_view rule) {
  const auto at =
      std::find_if(p.warnings.begin(), p.warnings.end(), [&](const Finding& f) { return f.rule == rule; });
  return at == p.warnings.end() ? nullptr : &*at;
}

// Joins n12 to twelve equal arcs with one token inside each, so that it takes 1/156 of the circle from every
// node.
Change join_evenly() {
  Change change;
  change.add = {named("n12")};
  for (unsigned i = 0; i < 12; ++i) {
    const u128 start = (u128{1} << 64) * i / 12;
    change.add[0].tokens.push_back(to_hex(TokenSpace{}, {start + (u128{1} << 64) / 156 - 1}));
  }
  return change;
}

TEST(Joining, twelve_donors_send_a_thirteenth_together) {
  const Plan p = run(testing::equal_arcs(12), join_evenly(), fleet());
  EXPECT_NEAR(p.diff.moved.value(), 1.0 / 13, 1e-12);
  EXPECT_EQ(p.diff.donors.size(), 12u);
  EXPECT_NEAR(p.bytes, 24 * TB / 13, 1);
  for (unsigned i = 0; i < 12; ++i)
    EXPECT_NEAR(flow(p, testing::numbered("n", i)).bytes_out, 153.846 * GB, MB);
  EXPECT_NEAR(p.seconds, 7384.6, 0.1);
  EXPECT_EQ(p.bottleneck, "n12");
  EXPECT_EQ(finding(p, "useless-moves"), nullptr);
  EXPECT_EQ(finding(p, "one-donor"), nullptr);
}

TEST(Joining, a_faster_joiner_lets_each_donor_send_at_a_third_of_its_budget) {
  CostOptions cost = fleet();
  cost.joiner_bandwidth = GB;
  const Plan p = run(testing::equal_arcs(12), join_evenly(), cost);
  EXPECT_NEAR(p.seconds, 1846.2, 0.1);
  EXPECT_EQ(p.bottleneck, "n12");
  EXPECT_NEAR(flow(p, "n05").send_rate, 83.333 * MB, 1e4);
  EXPECT_NEAR(flow(p, "n05").budget_used, 1.0 / 3, 1e-9);
  EXPECT_NEAR(flow(p, "n05").seconds, 615.4, 0.1);
  EXPECT_NEAR(flow(p, "n12").bytes_in, 1.846 * TB, GB);
}

TEST(Joining, nodes_that_serve_receive_at_their_own_bandwidth) {
  CostOptions cost = fleet();
  cost.joiner_bandwidth = GB;
  Change change;
  change.remove = {"n05"};
  const Plan p = run(testing::equal_arcs(12), change, cost);
  EXPECT_NEAR(flow(p, "n06").seconds, 8000, 0.1) << "2 TB at 250 MB/s";
}

TEST(Joining, with_one_token_there_is_one_donor) {
  Change change;
  change.add = {named("n12")};
  change.add[0].tokens = {to_hex(TokenSpace{}, {(u128{1} << 64) / 12 * 5 + (u128{1} << 64) / 13 - 1})};
  const Plan p = run(testing::equal_arcs(12), change, fleet());
  EXPECT_EQ(p.diff.donors, std::vector<std::string>{"n05"});
  EXPECT_NEAR(flow(p, "n05").bytes_out, 1.846 * TB, GB);
  EXPECT_NEAR(p.seconds, 7384.6, 0.1);
  ASSERT_NE(finding(p, "one-donor"), nullptr);
  EXPECT_EQ(finding(p, "one-donor")->subject, "n05");
}

TEST(Joining, hashed_tokens_move_about_a_thirteenth_from_all) {
  Change change;
  change.add = {named("n12")};
  const Plan p = run(testing::hashed_ring(testing::nodes(12), 256), change, fleet());
  EXPECT_NEAR(p.diff.moved.value(), 1.0 / 13, 0.015);
  EXPECT_EQ(p.diff.donors.size(), 12u);
  for (const std::string& donor : p.diff.donors) EXPECT_NEAR(flow(p, donor).bytes_out, 153.8 * GB, 90 * GB);
  EXPECT_NEAR(p.seconds, 7385, 800);
}

TEST(Joining, modulo_moves_ninety_two_percent) {
  Change change;
  change.add = {named("n12")};
  const Plan p = run(testing::modulo(12), change, fleet());
  EXPECT_NEAR(p.diff.moved.value(), 12.0 / 13, 1e-9);
  EXPECT_NEAR(p.bytes, 22.15 * TB, 0.01 * TB);
  ASSERT_NE(finding(p, "useless-moves"), nullptr);
  EXPECT_NE(finding(p, "useless-moves")
                ->message.find("92.3 % of the data move where 7.7 % would do: 84.6 % is useless"),
            std::string::npos);
}

TEST(Utilisation, of_a_reweighted_node_is_that_of_its_new_size) {
  CostOptions cost = fleet();
  cost.utilisation = 0.6;
  Change change;
  change.weight = {{"n03", 2}};
  const Plan p = run(testing::hashed_ring(testing::nodes(12), 256), change, cost);
  ASSERT_TRUE(flow(p, "n03").utilisation_after);
  EXPECT_NEAR(*flow(p, "n03").utilisation_after, 0.6 * 12 / 13, 0.06);
}

TEST(Leaving, with_one_token_the_successor_doubles_from_60_to_120_percent) {
  Change change;
  change.remove = {"n04"};
  const Plan p = run(testing::equal_arcs(12), change, filled(0.6));
  EXPECT_NEAR(*flow(p, "n05").utilisation_before, 0.6, 1e-9);
  EXPECT_NEAR(*flow(p, "n05").utilisation_after, 1.2, 1e-9);
  EXPECT_NEAR(*flow(p, "n06").utilisation_after, 0.6, 1e-9);
  EXPECT_FALSE(flow(p, "n04").utilisation_after);
  ASSERT_NE(finding(p, "over-full"), nullptr);
  EXPECT_EQ(finding(p, "over-full")->subject, "n05");
  ASSERT_NE(finding(p, "one-receiver"), nullptr);
  EXPECT_EQ(finding(p, "one-receiver")->subject, "n05");
  EXPECT_EQ(finding(p, "one-donor"), nullptr);  // the leaver sends everything, as it must
  EXPECT_EQ(p.flows.size(), 12u);
}

double mean_utilisation_after(const Plan& p) {
  double sum = 0, nodes = 0;
  for (const NodeFlow& f : p.flows)
    if (f.utilisation_after) {
      sum += *f.utilisation_after;
      ++nodes;
    }
  return sum / nodes;
}

TEST(Leaving, with_many_tokens_all_share_the_load) {
  Change change;
  change.remove = {"n04"};
  const Plan twelve = run(testing::hashed_ring(testing::nodes(12), 256), change, filled(0.6));
  EXPECT_NEAR(mean_utilisation_after(twelve), 0.6545, 0.0001);
  for (const NodeFlow& f : twelve.flows) EXPECT_NEAR(f.utilisation_after.value_or(0.6545), 0.6545, 0.12);
  EXPECT_EQ(finding(twelve, "over-full"), nullptr);
  EXPECT_NEAR(mean_utilisation_after(run(testing::hashed_ring(testing::nodes(8), 256), change, filled(0.6))),
              0.6857, 0.0001);
}

TEST(Utilisation, of_an_equal_ring_becomes_that_of_its_capacity) {
  auto nodes = testing::nodes(4);
  nodes[0].weight = 3;  // a disk three times as large, and half the data of a fleet of six units
  const ClusterMap before = testing::hashed_ring(nodes, 512);
  Change change;
  change.add = {named("big")};
  change.add[0].weight = 6;
  const Plan p = run(before, change, filled(0.8));
  EXPECT_FALSE(flow(p, "big").utilisation_before);
  for (const NodeFlow& f : p.flows) {
    EXPECT_NEAR(f.utilisation_before.value_or(0.8), 0.8, 0.1);
    EXPECT_NEAR(*f.utilisation_after, 0.4, 0.06) << f.name;
  }
}

// Three racks for three copies: the only node of r1 holds everything, and its disk was bought for that.
TEST(Utilisation, follows_what_the_policy_makes_each_node_hold) {
  const ClusterMap before = testing::hashed_ring(
      {node("a", 1, "r1"), node("b", 1, "r2"), node("c", 1, "r2"), node("d", 1, "r3"), node("e", 1, "r3")},
      512, 3, Across::rack);
  Change change;
  change.remove = {"c"};
  const Plan p = run(before, change, filled(0.4));
  EXPECT_NEAR(*flow(p, "a").utilisation_before, 0.4, 1e-9);
  EXPECT_NEAR(*flow(p, "a").utilisation_after, 0.4, 1e-9);
  EXPECT_NEAR(*flow(p, "b").utilisation_after, 0.8, 1e-9);
}

TEST(Costs, are_zero_where_nothing_is_known) {
  Change change;
  change.remove = {"n04"};
  const Plan p = run(testing::equal_arcs(12), change);
  EXPECT_EQ(p.bytes, 0);
  EXPECT_EQ(p.seconds, 0);
  EXPECT_EQ(p.bottleneck, "");
  ASSERT_EQ(p.flows.size(), 2u);
  EXPECT_EQ(p.flows[0].name, "n04");
  EXPECT_EQ(p.flows[1].name, "n05");
}

// memcached's own example: the weight of one of four servers is doubled.
TEST(Ketama, a_new_weight_moves_keys_between_untouched_servers) {
  const auto map = map_of(testing::parts(
      "twemproxy-ketama", {node("cache-a"), node("cache-b"), node("cache-c"), node("cache-d")}));
  Change change;
  change.weight = {{"cache-d", 2}};
  const Plan p = run(map, change);
  EXPECT_NEAR(p.diff.moved.value(), 0.2335, 0.01);
  double between = 0;
  for (const Transfer& t : p.diff.transfers)
    if (t.to != "cache-d") between += t.share.value();
  EXPECT_NEAR(between, 1386.0 / 20000, 0.005);
  ASSERT_NE(finding(p, "useless-moves"), nullptr);
  EXPECT_NE(finding(p, "useless-moves")->message.find("between nodes that the change does not touch"),
            std::string::npos);
  EXPECT_GT(p.diff.moved, p.diff.least);
}

TEST(Ketama, a_new_server_moves_more_between_the_old_ones_than_to_itself) {
  const auto map = map_of(testing::parts("twemproxy-ketama", {node("a", 3), node("b", 3), node("c", 4)}));
  Change change;
  change.add = {named("e")};
  const Plan p = run(map, change);
  double to_new = 0;
  for (const Transfer& t : p.diff.transfers)
    if (t.to == "e") to_new += t.share.value();
  EXPECT_NEAR(to_new, 1526.0 / 20000, 0.01);
  EXPECT_NEAR(p.diff.moved.value(), 3943.0 / 20000, 0.015);
  EXPECT_NE(finding(p, "useless-moves"), nullptr);
}

TEST(Racks, losing_the_third_one_is_a_warning_that_names_the_quorum) {
  auto parts = testing::parts("ring", {}, 3, Across::rack);
  for (unsigned i = 0; i < 7; ++i)
    parts.nodes.push_back(node(testing::numbered("n", i), 1, i < 3 ? "r1" : i < 6 ? "r2" : "r3"));
  parts.replicas.when_short = WhenShort::repeat;
  Change change;
  change.remove = {"n06"};
  const Plan p = run(map_of(parts), change);
  ASSERT_NE(finding(p, "fewer-racks-than-replicas"), nullptr);
  EXPECT_EQ(finding(p, "fewer-racks-than-replicas")->severity, Finding::Severity::warning);
  EXPECT_EQ(finding(p, "fewer-racks-than-replicas")->message,
            "racks fall from 3 to 2 for 3 copies, so that one rack holds 2 of them, and losing it loses the "
            "quorum");
  change.remove = {"n05"};
  EXPECT_EQ(finding(run(map_of(parts), change), "fewer-racks-than-replicas"), nullptr);
}

TEST(Replicas, as_many_as_nodes_leaves_no_spare) {
  Change change;
  change.remove = {"n03"};
  EXPECT_NE(finding(run(testing::hashed_ring(testing::nodes(4), 16, 3), change), "no-spare-node"), nullptr);
  EXPECT_EQ(finding(run(testing::hashed_ring(testing::nodes(5), 16, 3), change), "no-spare-node"), nullptr);
}

TEST(Readdressing, says_that_the_new_machine_is_expected_to_hold_the_keys) {
  auto parts = testing::parts("ring", testing::nodes(2));
  parts.nodes[0].address = "10.0.0.1:1";
  Change change;
  change.replace = {{"n00", named("n00")}};
  change.replace[0].second.address = "10.0.0.9:1";
  const Plan p = run(map_of(parts), change);
  EXPECT_EQ(p.diff.moved, Share{});
  EXPECT_EQ(p.diff.before, p.diff.after);
  ASSERT_NE(finding(p, "readdressed"), nullptr);
  EXPECT_EQ(finding(p, "readdressed")->subject, "n00");
}

// 200 nodes with 3 copies and 2 TB each, rebuilt at 250 MB/s; a stream costs 130 s to begin and end.
ClusterMap interleaved(unsigned nodes, unsigned tokens) {
  std::vector<Node> list;
  const u128 step = (u128{1} << 64) / (u128{nodes} * tokens);
  for (unsigned n = 0; n < nodes; ++n) {
    list.push_back(node("n" + std::to_string(n)));
    for (unsigned t = 0; t < tokens; ++t)
      list.back().tokens.push_back({step * (u128{t} * nodes + n + 1) - 1});
  }
  return given_ring(std::move(list), 3);
}
Plan rebuild(unsigned tokens, std::uint64_t parallel, double overhead) {
  Change change;
  change.replace = {{"n5", named("fresh")}};
  CostOptions cost;
  cost.data_bytes = 2 * TB * 200 / 3;
  cost.node_bandwidth = 250 * MB;
  cost.session_overhead = overhead;
  cost.parallel = parallel;
  return run(interleaved(200, tokens), change, cost);
}

TEST(Plans, ranges_of_a_rebuild_cost_a_session_each_and_the_cause_is_named_with_both_remedies) {
  const Plan many = rebuild(256, 1, 130);
  EXPECT_EQ(flow(many, "fresh").sessions, 768u);
  EXPECT_NEAR(many.seconds, 107'840, 1);
  EXPECT_EQ(many.bottleneck, "fresh");
  EXPECT_NEAR(rebuild(256, 16, 130).seconds, 14'240, 1);
  const Finding* found = finding(many, "overhead-rules");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->message, "the fixed cost of 768 streams takes 99840 s, their bytes 8000 s");
  EXPECT_EQ(found->advice,
            "run 16 streams at once (14240 s), or use 16 tokens a node where there are 256 (14240 s)");
}

TEST(Plans, few_ranges_or_free_sessions_are_told_no_overhead) {
  const Plan few = rebuild(16, 1, 130);
  EXPECT_NEAR(few.seconds, 14'240, 1);
  EXPECT_EQ(finding(few, "overhead-rules"), nullptr) << "6,240 s of 14,240 s";
  const Plan no_overhead = rebuild(16, 1, 0);
  EXPECT_NEAR(no_overhead.seconds, 8'000, 1);
  EXPECT_EQ(finding(no_overhead, "overhead-rules"), nullptr);
}

TEST(Plans, a_range_over_the_top_of_the_circle_is_one_range) {
  Change change;
  change.replace = {{"n2", named("fresh")}};
  ClusterMap map = given_ring(
      {testing::node_at("n0", {100}), testing::node_at("n1", {200}), testing::node_at("n2", {50})});
  EXPECT_EQ(flow(run(map, change), "fresh").sessions, 1u);
}

TEST(Plans, of_two_maps_need_no_change) {
  const Plan p = plan(testing::modulo(4), testing::hashed_ring(testing::nodes(4), 64), {}, fleet(), seed);
  ASSERT_TRUE(p.diff.sampled);
  EXPECT_NEAR(p.diff.moved.value(), 0.75, 0.05);
  EXPECT_NE(finding(p, "sampled"), nullptr);
}

TEST(Plans, that_make_a_cluster_less_even_by_weights_alone_are_warned_of) {
  const ClusterMap before = testing::equal_arcs(4);
  auto parts = before.parts();
  parts.nodes[0].tokens = {{(u128{1} << 63) / 4}};
  const Plan p = plan(before, map_of(parts), {}, fleet(), seed);
  ASSERT_NE(finding(p, "less-even"), nullptr);
  EXPECT_EQ(
      finding(p, "less-even")->message,
      "data moves, and the cluster gets less even: the largest node goes from 1.00× to 1.50× its target");
  EXPECT_EQ(finding(plan(map_of(parts), before, {}, fleet(), seed), "less-even"), nullptr);
  EXPECT_EQ(finding(run(before, join_evenly(), fleet()), "less-even"), nullptr);
}

TEST(Plans, show_the_balance_before_and_after) {
  Change change;
  change.remove = {"n04"};
  const Plan p = run(testing::equal_arcs(12), change);
  EXPECT_NEAR(p.balance_before.max_over_target, 1, 1e-9);
  EXPECT_NEAR(p.balance_after.max_over_target, 2.0 * 11 / 12, 1e-9);
}

}  // namespace
}  // namespace arcwise
