#include "arcwise/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "study/check_testing.hpp"
#include "study/risk_maps.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using enum Finding::Severity;
using testing::checked;
using testing::fires;
using testing::found;
using testing::unseen;

Observed down(std::size_t nodes, std::initializer_list<NodeIndex> which) {
  Observed observed;
  observed.down = NodeSet(nodes);
  for (NodeIndex n : which) observed.down.insert(n);
  return observed;
}

ClusterMap::Parts racked(std::size_t nodes, std::size_t racks, std::uint32_t replicas) {
  auto parts = testing::ring_parts(nodes, 16, replicas);
  for (std::size_t i = 0; i < nodes; ++i) parts.nodes[i].rack = "r" + std::to_string(i % racks);
  parts.replicas.across = Across::rack;
  return parts;
}

TEST(Check, a_sound_map_has_no_finding) {
  const CheckReport report = checked(racked(9, 3, 3));
  EXPECT_TRUE(report.ok);
  EXPECT_TRUE(report.findings.empty()) << report.findings.front().message;
}

TEST(Check, findings_come_errors_first_and_then_by_rule) {
  auto parts = testing::table_parts("redis-cluster", 4, {{0, 1}, {}, {2}});
  Observed observed = down(4, {2});
  observed.findings.push_back({warning, "gone-node", "x", "seen by the import", ""});
  const CheckReport report = checked(parts, observed);
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(found(report, "gone-node").size(), 1u);
  EXPECT_TRUE(
      std::is_sorted(report.findings.begin(), report.findings.end(), [](const Finding& a, const Finding& b) {
        return a.severity != b.severity ? a.severity > b.severity : a.rule < b.rule;
      }));
  EXPECT_EQ(report.findings.front().severity, error);
}

TEST(Check, what_an_import_found_decides_too) {
  Observed observed;
  observed.findings.push_back({error, "gone-node", "x", "tokens of a node that is gone", ""});
  EXPECT_FALSE(checked(racked(9, 3, 3), observed).ok);
}

TEST(Check, every_rule_is_listed_once_with_a_meaning) {
  std::set<std::string_view> names;
  for (const CheckRule& rule : check_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_FALSE(rule.meaning.empty()) << rule.name;
  }
  EXPECT_GE(names.size(), 20u);
}

TEST(ReplicasShort, names_each_range_with_its_share_and_ends_with_the_total) {
  const auto parts = testing::table_parts("cassandra-ranges", 4, {{0, 1, 2}, {1, 2}, {2, 3, 0}, {3}});
  const CheckReport report = checked(parts, unseen, {.replicas = 3, .across = {}});
  EXPECT_FALSE(report.ok);
  const auto findings = found(report, "replicas-short");
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].subject, "(-4611686018427387905, -1]");
  EXPECT_EQ(findings[0].message,
            "range (-4611686018427387905, -1], 25 % of hash space, is on 2 nodes, not 3: n1, n2");
  EXPECT_EQ(findings[1].message,
            "range (4611686018427387903, 9223372036854775807], 25 % of hash space, is on 1 node, not 3: n3");
  EXPECT_TRUE(findings[2].message.starts_with("2 ranges, 50 % of hash space, ")) << findings[2].message;
}

TEST(ReplicasShort, passes_a_table_that_keeps_the_asked_count) {
  const auto parts =
      testing::table_parts("cassandra-ranges", 4, {{0, 1, 2}, {1, 2, 3}, {2, 3, 0}, {3, 0, 1}});
  EXPECT_TRUE(checked(parts, unseen, {.replicas = 3, .across = {}}).ok);
  EXPECT_FALSE(checked(parts, unseen, {.replicas = 4, .across = {}}).ok);
}

TEST(ReplicasShort, counts_hosts_and_racks_where_asked) {
  auto parts = testing::table_parts("cassandra-ranges", 4, {{0, 1, 2}, {1, 2, 3}});
  const char* racks[] = {"a", "b", "c", "c"};
  for (std::size_t i = 0; i < 4; ++i) {
    parts.nodes[i].rack = racks[i];
    parts.nodes[i].zone = "dc1";
    parts.nodes[i].host = "m" + std::to_string(i);
  }
  EXPECT_TRUE(checked(parts, unseen, {.replicas = 3, .across = {}}).ok);
  EXPECT_TRUE(checked(parts, unseen, {.replicas = 3, .across = Across::host}).ok);
  const auto findings =
      found(checked(parts, unseen, {.replicas = 3, .across = Across::rack}), "replicas-short");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message,
            "range (-1, 9223372036854775807], 50 % of hash space, is on 2 racks, not 3: dc1/b (n1), dc1/c "
            "(n2, n3)");
}

TEST(ReplicasShort, sees_listed_owners_that_the_policy_of_the_map_would_pass_over) {
  auto parts = testing::table_parts("cassandra-ranges", 3, {{0, 1, 2}});
  for (std::size_t i = 0; i < 3; ++i) parts.nodes[i].rack = i < 2 ? "a" : "b";
  parts.replicas.across = Across::rack;
  const auto findings = found(checked(parts), "replicas-short");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("is on 2 racks, not 3: a (n0, n1), b (n2)"), std::string::npos)
      << findings[0].message;
}

TEST(ReplicasShort, a_rack_of_the_same_name_in_another_zone_is_another_rack) {
  auto parts = testing::table_parts("cassandra-ranges", 2, {{0, 1}});
  for (Node& node : parts.nodes) node.rack = "r1";
  parts.nodes[0].zone = "eu";
  parts.nodes[1].zone = "us";
  EXPECT_FALSE(fires("replicas-short", parts, unseen, {.replicas = 2, .across = Across::rack}));
  EXPECT_FALSE(fires("replicas-short", parts, unseen, {.replicas = 2, .across = Across::zone}));
  parts.nodes[1].zone = "eu";
  EXPECT_TRUE(fires("replicas-short", parts, unseen, {.replicas = 2, .across = Across::rack}));
}

TEST(ReplicasShort, lists_a_hundred_ranges_and_sums_up_all) {
  const auto parts = testing::table_parts("ranges", 2, std::vector<std::vector<NodeIndex>>(128, {0, 1}));
  const auto findings = found(checked(parts, unseen, {.replicas = 3, .across = {}}), "replicas-short");
  ASSERT_EQ(findings.size(), 101u);
  EXPECT_TRUE(findings.back().message.starts_with("128 ranges, 100 % of hash space, "))
      << findings.back().message;
}

TEST(ReplicasShort, holds_per_zone_counts_zone_by_zone) {
  auto parts = testing::table_parts("ranges", 4, {{0, 1, 2}, {0, 2, 3}});
  for (std::size_t i = 0; i < 4; ++i) parts.nodes[i].zone = i < 2 ? "eu" : "us";
  parts.replicas.per_zone = {{"eu", 2}, {"us", 1}};
  const auto findings = found(checked(parts), "replicas-short");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("is on 1 node in zone eu, not 2: n0"), std::string::npos)
      << findings[0].message;
}

TEST(ReplicasShort, a_map_that_accepts_repeats_is_not_short_but_racks_asked_for_are) {
  auto parts = racked(6, 2, 3);
  parts.replicas.when_short = WhenShort::repeat;
  EXPECT_FALSE(fires("replicas-short", parts));
  EXPECT_TRUE(fires("replicas-short", parts, unseen, {.replicas = {}, .across = Across::rack}));
}

TEST(RangeUnowned, an_empty_row_is_an_error) {
  EXPECT_TRUE(fires("range-unowned", testing::table_parts("ranges", 2, {{0}, {}, {1}})));
  EXPECT_FALSE(fires("range-unowned", testing::table_parts("ranges", 2, {{0}, {0}, {1}})));
}

TEST(SlotsUnowned, slots_without_a_master_are_named) {
  const auto findings =
      found(checked(testing::table_parts("redis-cluster", 2, {{0}, {}, {1}, {}})), "slots-unowned");
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].subject, "4096-8191");
  EXPECT_EQ(findings[0].message, "range 4096-8191, 25 % of hash space, has no owner");
  EXPECT_EQ(findings[1].subject, "12288-16383");
  EXPECT_FALSE(fires("slots-unowned", testing::table_parts("redis-cluster", 2, {{0}, {1}})));
}

TEST(RangeDown, every_owner_down_is_an_error_and_all_but_one_is_not) {
  const auto parts = testing::table_parts("cassandra-ranges", 4, {{0, 1, 2}, {1, 2, 3}});
  const auto findings = found(checked(parts, down(4, {0, 1, 2})), "range-down");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("n0, n1, n2"), std::string::npos);
  EXPECT_FALSE(fires("range-down", parts, down(4, {0, 1})));
}

TEST(MasterDown, slots_whose_master_is_down_are_not_served) {
  const auto parts = testing::table_parts("redis-cluster", 4, {{0, 1}, {2, 3}});
  const auto findings = found(checked(parts, down(4, {0})), "master-down");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message,
            "range 0-8191, 50 % of hash space, is not served: its master n0 is down, with 1 live replica");
  EXPECT_FALSE(checked(parts, down(4, {0})).ok);
  EXPECT_FALSE(fires("master-down", parts, down(4, {1})));
  EXPECT_FALSE(fires("quorum-down", parts, down(4, {1})));
  EXPECT_TRUE(fires("range-down", parts, down(4, {0, 1})));
}

TEST(QuorumDown, fewer_than_a_majority_up_is_a_warning) {
  const auto parts = testing::table_parts("cassandra-ranges", 4, {{0, 1, 2}, {1, 2, 3}});
  const CheckReport report = checked(parts, down(4, {0, 1}));
  EXPECT_TRUE(report.ok);
  ASSERT_EQ(found(report, "quorum-down").size(), 1u);
  EXPECT_EQ(found(report, "quorum-down")[0].severity, warning);
  EXPECT_FALSE(fires("quorum-down", parts, down(4, {0, 3})));
}

TEST(ReplicasUneven, a_master_with_fewer_replicas_than_others) {
  const auto parts = testing::table_parts("redis-cluster", 5, {{0, 1, 4}, {2, 3}});
  const CheckReport report = checked(parts);
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(found(report, "replicas-uneven").size(), 1u);
  EXPECT_FALSE(checked(parts, unseen, {.replicas = 3, .across = {}}).ok);
  EXPECT_FALSE(fires("replicas-uneven", testing::table_parts("redis-cluster", 4, {{0, 1}, {2, 3}})));
}

TEST(RfOverNodes, more_replicas_than_nodes) {
  EXPECT_TRUE(fires("rf-over-nodes", testing::ring_parts(3, 16, 3), unseen, {.replicas = 4, .across = {}}));
  EXPECT_FALSE(fires("rf-over-nodes", testing::ring_parts(3, 16, 3), unseen, {.replicas = 3, .across = {}}));
  auto parts = testing::ring_parts(3, 16, 3);
  parts.replicas.when_short = WhenShort::repeat;
  parts.nodes[2].state = NodeState::joining;
  EXPECT_TRUE(fires("rf-over-nodes", parts));
}

ClusterMap::Parts ketama(std::initializer_list<double> weights) {
  auto parts = testing::ring_parts(weights.size(), 0, 1);
  parts.placement.recipe = find_recipe("twemproxy-ketama");
  parts.placement.hash = KeyHashId::md5_ketama;
  std::size_t i = 0;
  for (double w : weights) parts.nodes[i++].weight = w;
  return parts;
}

TEST(NoPoints, a_weight_that_rounds_to_nothing) {
  const auto findings = found(checked(ketama({1, 1000, 1000})), "no-points");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].subject, "n0");
  EXPECT_FALSE(fires("no-points", ketama({20, 1000})));
  auto joining = testing::ring_parts(3, 16, 1);
  joining.nodes[0].state = NodeState::joining;
  EXPECT_FALSE(fires("no-points", joining));
}

TEST(CrcWidth, a_short_hash_on_a_wide_ring_gives_one_node_everything) {
  auto parts = ketama({1, 1, 1});
  EXPECT_FALSE(fires("crc-width", parts));
  parts.placement.hash = KeyHashId::crc16;
  const auto findings = found(checked(parts), "crc-width");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, error);
  EXPECT_NE(findings[0].message.find("16 bits, the ring has 32"), std::string::npos) << findings[0].message;
  EXPECT_NE(findings[0].message.find("gets 100 % of the keys"), std::string::npos) << findings[0].message;
}

TEST(RacksFewerThanReplicas, repeats_are_used) {
  auto parts = racked(6, 2, 3);
  parts.replicas.when_short = WhenShort::repeat;
  EXPECT_TRUE(fires("racks-fewer-than-replicas", parts));
  parts = racked(6, 3, 3);
  parts.replicas.when_short = WhenShort::repeat;
  EXPECT_FALSE(fires("racks-fewer-than-replicas", parts));
}

TEST(HostShared, copies_on_one_machine) {
  auto parts = testing::ring_parts(6, 16, 2);
  for (std::size_t i = 0; i < 6; ++i) parts.nodes[i].host = "m" + std::to_string(i / 2);
  EXPECT_TRUE(fires("host-shared", parts));
  parts.replicas.across = Across::host;
  EXPECT_FALSE(fires("host-shared", parts));
  parts.replicas = {};
  EXPECT_FALSE(fires("host-shared", parts));  // one copy cannot meet another
  const auto table = [](std::vector<std::vector<NodeIndex>> rows) {
    auto out = testing::table_parts("ranges", 4, rows);
    for (std::size_t i = 0; i < 4; ++i) out.nodes[i].host = i < 2 ? "m0" : "m1";
    return out;
  };
  EXPECT_TRUE(fires("host-shared", table({{0, 1}, {1, 3}})));
  EXPECT_FALSE(fires("host-shared", table({{0, 2}, {1, 3}})));
}

TEST(PlaceMissing, a_policy_over_racks_or_zones_needs_them_named) {
  auto parts = racked(9, 3, 3);
  parts.replicas.count = 2;
  EXPECT_FALSE(fires("place-missing", parts));
  parts.nodes[4].rack.clear();
  EXPECT_TRUE(fires("place-missing", parts));
  parts.replicas.across = Across::node;
  EXPECT_FALSE(fires("place-missing", parts));
}

TEST(TokenCollision, says_who_wins) {
  auto parts = testing::ring_parts(40, 256, 1);
  EXPECT_FALSE(fires("token-collision", parts));
  parts.placement.hash = KeyHashId::crc16;  // a ring of 65,536 positions
  const CheckReport report = checked(parts);
  const auto findings = found(report, "token-collision");
  ASSERT_EQ(findings.size(), 101u);
  const Placement p = testing::placed(parts);
  const auto token =
      from_hex(p.map().space(), findings[0].message.substr(findings[0].message.find("token ") + 6, 4));
  ASSERT_TRUE(token);
  const std::string& winner = p.map().nodes()[p.primary({token->value})].name;
  EXPECT_NE(findings[0].message.find("goes to " + winner + "; its token"), std::string::npos)
      << findings[0].message;
}

TEST(TokensFew, a_handful_of_hashed_points_only) {
  EXPECT_TRUE(fires("tokens-few", testing::ring_parts(10, 7, 1)));
  EXPECT_FALSE(fires("tokens-few", testing::ring_parts(10, 8, 1)));
  EXPECT_FALSE(fires("tokens-few", testing::ring_parts(1, 1, 1)));
  EXPECT_FALSE(fires("tokens-few", testing::equal_arcs(3).parts()));
  const auto findings = found(checked(testing::ring_parts(100, 1, 1)), "tokens-few");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("by 99 %"), std::string::npos) << findings[0].message;
}

TEST(Identity, loopback_and_other_addresses_as_identities) {
  auto parts = testing::ring_parts(3, 16, 1);
  EXPECT_FALSE(fires("loopback-identity", parts));
  EXPECT_FALSE(fires("address-identity", parts));
  for (const char* label : {"127.0.0.1:11211", "localhost", "localhost:80", "::1", "[::1]:80"}) {
    parts.nodes[1].label = label;
    EXPECT_TRUE(fires("loopback-identity", parts)) << label;
    EXPECT_FALSE(fires("address-identity", parts)) << label;
  }
  for (const char* label : {"10.0.0.7:11211", "10.0.0.7", "fe80::7", "[fe80::7]:80"}) {
    parts.nodes[1].label = label;
    EXPECT_FALSE(fires("loopback-identity", parts)) << label;
    EXPECT_TRUE(fires("address-identity", parts)) << label;
  }
  for (const char* label : {"cache-127.0.0.1", "localhost2", "cafe", "a:1", "1.2.3", "127"}) {
    parts.nodes[1].label = label;
    EXPECT_FALSE(fires("loopback-identity", parts)) << label;
    EXPECT_FALSE(fires("address-identity", parts)) << label;
  }
  // Where nothing is hashed from it, an address is a fine name.
  auto table = testing::table_parts("ranges", 2, {{0}, {1}});
  table.nodes[0].name = "127.0.0.1";
  EXPECT_FALSE(fires("loopback-identity", table));
}

TEST(AddressDuplicate, two_nodes_with_one_address) {
  auto parts = testing::ring_parts(3, 16, 1);
  parts.nodes[0].address = "10.0.0.1:1";
  parts.nodes[1].address = "10.0.0.1:2";
  EXPECT_FALSE(fires("address-duplicate", parts));
  parts.nodes[1].address = "10.0.0.1:1";
  EXPECT_TRUE(fires("address-duplicate", parts));
}

TEST(Replicas, one_copy_and_even_counts_are_remarked) {
  EXPECT_TRUE(fires("single-replica", testing::ring_parts(5, 16, 1)));
  EXPECT_FALSE(fires("single-replica", testing::ring_parts(5, 16, 2)));
  const auto even = found(checked(testing::ring_parts(5, 16, 2)), "even-replicas");
  ASSERT_EQ(even.size(), 1u);
  EXPECT_EQ(even[0].message, "a majority of 2 is 2: quorums tolerate 0 failures, as with 1");
  EXPECT_TRUE(fires("even-replicas", testing::ring_parts(5, 16, 4)));
  EXPECT_FALSE(fires("even-replicas", testing::ring_parts(5, 16, 3)));
}

TEST(States, joining_leaving_and_idle_nodes_are_remarked) {
  auto parts = testing::ring_parts(5, 16, 3);
  EXPECT_FALSE(fires("node-joining", parts));
  EXPECT_FALSE(fires("node-leaving", parts));
  parts.nodes[0].state = NodeState::joining;
  parts.nodes[1].state = NodeState::leaving;
  EXPECT_TRUE(fires("node-joining", parts));
  EXPECT_TRUE(fires("node-leaving", parts));
  EXPECT_TRUE(checked(parts).ok);
  EXPECT_TRUE(fires("owns-nothing", testing::table_parts("ranges", 3, {{0}, {1}})));
  EXPECT_FALSE(fires("owns-nothing", testing::table_parts("ranges", 3, {{0}, {1, 2}})));
}

}  // namespace
}  // namespace arcwise
