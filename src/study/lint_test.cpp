// Each lint with a map that it is for, and one that is nearly so.
#include <gtest/gtest.h>

#include "study/check_testing.hpp"

namespace arcwise {
namespace {

using testing::checked;
using testing::fires;
using testing::found;

ClusterMap::Parts servers(std::string_view recipe, std::vector<std::pair<std::string, double>> list) {
  std::vector<Node> nodes;
  for (auto& [name, weight] : list) nodes.push_back(testing::node(name, weight));
  auto parts = testing::parts(recipe, std::move(nodes));
  parts.placement.tokens = parts.placement.recipe->default_tokens;
  return parts;
}

ClusterMap::Parts equal(std::string_view recipe, std::size_t count) {
  std::vector<std::pair<std::string, double>> list;
  for (std::size_t i = 0; i < count; ++i) list.emplace_back("10.0.0." + std::to_string(i + 1) + ":80", 1);
  return servers(recipe, list);
}

std::string message(std::string_view rule, const ClusterMap::Parts& parts) {
  const auto findings = found(checked(parts), rule);
  return findings.empty() ? "" : findings.front().message;
}

TEST(PositionalIdentity, places_in_a_list_and_not_names_say_who_a_node_is) {
  for (const char* recipe :
       {"modulo", "libmemcached-modula", "nginx-hash", "haproxy-map-based", "haproxy-consistent",
        "mcrouter-ch3", "mcrouter-crc32", "twemproxy-modula", "jump"})
    EXPECT_TRUE(fires("positional-identity", equal(recipe, 5))) << recipe;
  for (const char* recipe : {"ring", "libketama", "twemproxy-ketama", "nginx-consistent", "envoy-maglev",
                             "mcrouter-rendezvous", "pymemcache-rendezvous", "dalli", "uhashring"})
    EXPECT_FALSE(fires("positional-identity", equal(recipe, 5)))
        << recipe << message("positional-identity", equal(recipe, 5));
}

TEST(PositionalIdentity, numbers_or_addresses_of_their_own_free_servers_from_their_place) {
  auto parts = equal("haproxy-consistent", 5);
  EXPECT_TRUE(fires("positional-identity", parts));
  parts.placement.settings["hash_key"] = "addr-port";
  EXPECT_FALSE(fires("positional-identity", parts));
  parts = equal("haproxy-consistent", 5);
  for (std::size_t i = 0; i < 5; ++i) parts.nodes[i].bucket = 101 + i;
  EXPECT_FALSE(fires("positional-identity", parts));
}

TEST(PositionalIdentity, says_how_many_keys_another_order_and_a_removal_move) {
  const std::string text = message("positional-identity", equal("modulo", 4));
  EXPECT_TRUE(
      text.starts_with("nodes are known by their place in the list: in reverse order 100.0 % of keys"))
      << text;
  EXPECT_NE(text.find("; without 10.0.0.1:80 "), std::string::npos) << text;
}

// HAProxy 2.6: 396 of the 655 keys of the others move, and none where servers have ids.
TEST(PositionalIdentity, order02_a_server_deleted_from_the_front_moves_six_tenths_of_the_others_keys) {
  auto parts = servers("haproxy-consistent",
                       {{"127.0.1.11:11211", 1}, {"127.0.1.12:11211", 1}, {"127.0.1.13:11211", 1}});
  const std::string text = message("positional-identity", parts);
  const std::size_t at = text.find("without 127.0.1.11:11211 ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(at + 25)), 60, 4) << text;
  for (std::size_t i = 0; i < 3; ++i) parts.nodes[i].bucket = 101 + i;
  EXPECT_EQ(message("positional-identity", parts), "");
}

TEST(ResolvedIdentity, a_name_where_the_address_is_hashed) {
  for (const char* recipe :
       {"envoy-ring-hash", "envoy-maglev", "spymemcached-ketama", "xmemcached-ketama-nginx"}) {
    EXPECT_FALSE(fires("resolved-identity", equal(recipe, 3))) << recipe;
    EXPECT_TRUE(fires("resolved-identity", servers(recipe, {{"10.0.0.1:80", 1}, {"cache-2:80", 1}})))
        << recipe;
  }
  auto parts = servers("spymemcached-ketama", {{"10.0.0.1:80", 1}, {"cache-2:80", 1}});
  parts.nodes[1].address = "10.0.0.2:80";
  EXPECT_FALSE(fires("resolved-identity", parts));
  EXPECT_FALSE(
      fires("resolved-identity", servers("nginx-consistent", {{"10.0.0.1:80", 1}, {"cache-2:80", 1}})));
}

TEST(LoopbackIdentity, is_seen_behind_the_slash_of_java_and_spy_labels) {
  EXPECT_TRUE(fires("loopback-identity",
                    servers("libmemcached-spy", {{"127.0.0.1:11211", 1}, {"10.0.0.2:11211", 1}})));
  EXPECT_FALSE(fires("loopback-identity",
                     servers("libmemcached-spy", {{"10.0.0.1:11211", 1}, {"10.0.0.2:11211", 1}})));
  EXPECT_FALSE(
      fires("loopback-identity", servers("twemproxy-ketama", {{"/tmp/a.sock", 1}, {"/tmp/b.sock", 1}})));
}

TEST(LabelAmbiguous, a_port_left_out_makes_two_servers_one) {
  const auto twice =
      servers("libmemcached-ketama-weighted", {{"cache:11211", 1}, {"cache", 1}, {"other", 1}});
  EXPECT_FALSE(checked(twice).ok);
  EXPECT_NE(message("label-ambiguous", twice).find("cache:11211 and cache share 160 points"),
            std::string::npos)
      << message("label-ambiguous", twice);
  EXPECT_FALSE(
      fires("label-ambiguous", servers("libmemcached-ketama-weighted", {{"cache:11212", 1}, {"cache", 1}})));
  // DUP-03: with a separator between name and number no two names make the same text.
  EXPECT_FALSE(fires("label-ambiguous", servers("ring", {{"192.0.2.7:55", 1}, {"192.0.2.7:555", 1}})));
  // DUP-01: one point shared by chance is a collision, no ambiguity.
  const auto collide = servers("libketama", {{"10.20.0.29:11212", 1}, {"10.20.1.0:11212", 1}});
  EXPECT_FALSE(fires("label-ambiguous", collide));
  EXPECT_TRUE(fires("token-collision", collide));
}

TEST(LabelAmbiguous, two_nodes_with_one_label) {
  auto parts = servers("ring", {{"n1", 1}, {"n2", 1}});
  parts.nodes[0].label = parts.nodes[1].label = "n";
  EXPECT_TRUE(fires("label-ambiguous", parts));
}

TEST(ShareDistorted, points_that_round_a_weight_away) {
  EXPECT_TRUE(fires("share-distorted", servers("twemproxy-ketama", {{"a", 1}, {"b", 30}, {"c", 30}})));
  EXPECT_FALSE(fires("share-distorted", servers("twemproxy-ketama", {{"a", 10}, {"b", 30}, {"c", 30}})));
  EXPECT_FALSE(fires("share-distorted", servers("ring", {{"a", 1}, {"b", 30}, {"c", 30}})));
  auto few = servers("ring", {{"a", 1.2}, {"b", 2}});
  few.placement.tokens = 2;
  EXPECT_TRUE(fires("share-distorted", few));
  few.placement.tokens = 5;
  EXPECT_FALSE(fires("share-distorted", few));
}

TEST(ShareDistorted, names_what_is_asked_and_what_there_is) {
  const std::string text =
      message("share-distorted", servers("twemproxy-ketama", {{"a", 1}, {"b", 30}, {"c", 30}}));
  EXPECT_EQ(text,
            "1 node off what the weights ask for by a tenth or more: the weight of a asks for 1.6 %, its "
            "points are 0.8 %");
}

TEST(NoPoints, of_a_table_of_slots_too) {
  auto parts = equal("envoy-maglev", 6);
  parts.placement.settings["table_size"] = "5";
  EXPECT_FALSE(checked(parts).ok);
  EXPECT_TRUE(fires("no-points", parts));
  parts.placement.settings["table_size"] = "7";
  EXPECT_FALSE(fires("no-points", parts));
}

TEST(NoPoints, w02_thirteen_of_a_thousand_nodes_round_to_nothing) {
  std::vector<std::pair<std::string, double>> list;
  for (int i = 0; i < 1000; ++i) list.emplace_back("node" + std::to_string(1000 + i).substr(1), i);
  const std::string text = message("no-points", servers("hashring", list));
  EXPECT_TRUE(text.starts_with("12 nodes with a weight too small")) << text;  // node000 asks for none
}

TEST(NoPoints, bal17_a_capped_ring_leaves_most_hosts_out) {
  auto parts = equal("envoy-ring-hash", 5000);
  parts.placement.settings = {{"minimum_ring_size", "1024"}, {"maximum_ring_size", "1024"}};
  EXPECT_TRUE(message("no-points", parts).starts_with("3976 nodes")) << message("no-points", parts);
}

TEST(WeightsIgnored, where_a_recipe_reads_none) {
  for (const char* recipe :
       {"libmemcached-consistent", "libmemcached-modula", "mcrouter-ch3", "pymemcache-rendezvous"}) {
    EXPECT_TRUE(fires("weights-ignored", servers(recipe, {{"a", 1}, {"b", 2}}))) << recipe;
    EXPECT_FALSE(fires("weights-ignored", servers(recipe, {{"a", 2}, {"b", 2}}))) << recipe;
  }
  EXPECT_FALSE(fires("weights-ignored", servers("libmemcached-ketama-weighted", {{"a", 1}, {"b", 2}})));
}

TEST(WeightOverflow, a_sum_beyond_32_bits) {
  const double most = 1e9;
  EXPECT_TRUE(fires("weight-overflow",
                    servers("libketama", {{"a", most}, {"b", most}, {"c", most}, {"d", most}, {"e", most}})));
  EXPECT_FALSE(
      fires("weight-overflow", servers("libketama", {{"a", most}, {"b", most}, {"c", most}, {"d", most}})));
}

TEST(RingCrowded, more_than_one_point_in_a_hundred_positions) {
  auto parts = testing::ring_parts(10, 66, 1);
  parts.placement.hash = KeyHashId::crc16;
  EXPECT_TRUE(fires("ring-crowded", parts));
  parts = testing::ring_parts(10, 65, 1);
  parts.placement.hash = KeyHashId::crc16;
  EXPECT_FALSE(fires("ring-crowded", parts));
}

TEST(SlotsFixed, a_handful_of_slots_a_node) {
  const auto partitions = [](std::size_t nodes) {
    std::vector<std::vector<NodeIndex>> rows;
    for (std::size_t r = 0; r < 64; ++r) rows.push_back({static_cast<NodeIndex>(r % nodes)});
    auto parts = testing::table_parts("kafka", nodes, {});
    parts.placement.slots = 64;
    for (std::size_t r = 0; r < 64; ++r) parts.placement.table.push_back({{r}, rows[r]});
    return parts;
  };
  EXPECT_TRUE(fires("slots-fixed", partitions(9)));
  EXPECT_FALSE(fires("slots-fixed", partitions(8)));
}

ClusterMap::Parts cassandra(std::vector<std::size_t> tokens, std::vector<double> weights = {}) {
  std::vector<Node> nodes;
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::vector<std::uint64_t> own;
    for (std::size_t t = 0; t < tokens[i]; ++t) own.push_back(next += 0x9e3779b97f4a7c15);
    nodes.push_back(testing::node_at("10.0.0." + std::to_string(i), own));
    if (!weights.empty()) nodes.back().weight = weights[i];
  }
  return testing::parts("cassandra-murmur3", std::move(nodes));
}

TEST(TokensFixed, nodes_of_one_zone_with_other_numbers_of_tokens) {
  EXPECT_TRUE(fires("tokens-fixed", cassandra({16, 16, 256})));
  EXPECT_FALSE(fires("tokens-fixed", cassandra({16, 16, 16})));
  EXPECT_FALSE(fires("tokens-fixed", cassandra({8, 16}, {1, 2})));
  auto zones = cassandra({16, 16, 256});
  zones.nodes[2].zone = "dc2";
  EXPECT_FALSE(fires("tokens-fixed", zones));
}

TEST(AllocatorRf, is_the_replica_count) {
  const auto asked = [](std::uint32_t allocated_for) {
    CheckOptions options;
    options.allocated_for = allocated_for;
    return options;
  };
  auto parts = cassandra({16, 16, 16});
  parts.replicas.count = 3;
  EXPECT_FALSE(fires("allocation-rf-differs", parts));
  EXPECT_FALSE(fires("allocation-rf-differs", parts, testing::unseen, asked(3)));
  EXPECT_TRUE(fires("allocation-rf-differs", parts, testing::unseen, asked(2)));
}

}  // namespace
}  // namespace arcwise
