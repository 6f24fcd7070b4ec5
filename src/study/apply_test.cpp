#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "arcwise/change.hpp"
#include "arcwise/check.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using testing::given_ring;
using testing::map_of;
using testing::node;
using testing::node_at;

NewNode fresh(std::string name, std::optional<double> weight = {}, std::string rack = "",
              std::string zone = "") {
  NewNode n;
  n.name = std::move(name);
  n.weight = weight;
  n.rack = std::move(rack);
  n.zone = std::move(zone);
  return n;
}
NewNode at_address(std::string name, std::string address) {
  NewNode n = fresh(std::move(name));
  n.address = std::move(address);
  return n;
}
Change adding(NewNode n) {
  return {.add = {std::move(n)}, .remove = {}, .weight = {}, .replace = {}};
}
Change removing(std::vector<std::string> names) {
  return {.add = {}, .remove = std::move(names), .weight = {}, .replace = {}};
}
Change weighing(std::string name, double weight) {
  return {.add = {}, .remove = {}, .weight = {{std::move(name), weight}}, .replace = {}};
}
Change replacing(std::string old, NewNode n) {
  return {.add = {}, .remove = {}, .weight = {}, .replace = {{std::move(old), std::move(n)}}};
}

struct Applied {
  std::optional<ClusterMap> map;
  Error error;
  std::vector<Finding> warnings;
};
Applied run(const ClusterMap& map, const Change& change) {
  Applied out;
  auto result = apply(map, change, out.warnings);
  if (result)
    out.map = *result;
  else
    out.error = result.error();
  return out;
}
ClusterMap after(const ClusterMap& map, const Change& change) {
  const Applied done = run(map, change);
  if (!done.map) throw std::runtime_error(to_string(done.error));
  return *done.map;
}
Diff difference(const ClusterMap& a, const ClusterMap& b) {
  return diff(compile(a), compile(b), 1, 10'000);
}

ClusterMap racked(std::vector<std::size_t> nodes_in_rack, std::uint32_t replicas,
                  WhenShort when_short = WhenShort::refuse) {
  auto p = testing::parts("ring", {}, replicas, Across::rack);
  for (std::size_t r = 0; r < nodes_in_rack.size(); ++r)
    for (std::size_t i = 0; i < nodes_in_rack[r]; ++i)
      p.nodes.push_back(
          node("r" + std::to_string(r + 1) + "-" + std::to_string(i), 1, "r" + std::to_string(r + 1)));
  p.replicas.when_short = when_short;
  return map_of(p);
}

bool has_rule(const std::vector<Finding>& findings, std::string_view rule) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
}

TEST(Apply, the_epoch_rises_by_one_where_there_is_one) {
  auto p = testing::parts("ring", testing::nodes(3));
  EXPECT_EQ(after(map_of(p), removing({"n00"})).epoch(), std::nullopt);
  p.epoch = 7;
  EXPECT_EQ(after(map_of(p), removing({"n00"})).epoch(), 8u);
  EXPECT_EQ(after(map_of(p), {}).epoch(), 7u);
}

TEST(Apply, every_kind_of_change_together) {
  Change change = adding(fresh("new", 2, "r9", "us"));
  change.remove = {"n00"};
  change.weight = {{"n01", 3}};
  change.replace = {{"n02", at_address("other", "10.0.0.9:1")}};
  const ClusterMap map = after(testing::hashed_ring(testing::nodes(4), 8), change);
  ASSERT_EQ(map.nodes().size(), 4u);
  EXPECT_EQ(map.nodes()[0].name, "n01");
  EXPECT_EQ(map.nodes()[0].weight, 3);
  EXPECT_EQ(map.nodes()[1].name, "other");
  EXPECT_EQ(map.nodes()[1].host, "10.0.0.9");
  EXPECT_EQ(map.nodes()[3].name, "new");
  EXPECT_EQ(map.nodes()[3].rack, "r9");
  EXPECT_EQ(map.nodes()[3].zone, "us");
  EXPECT_EQ(map.nodes()[3].weight, 2);
}

TEST(Apply, errors_name_the_argument) {
  const ClusterMap map = testing::hashed_ring(testing::nodes(4), 8);
  const std::vector<std::pair<Change, std::string>> wrong = {
      {removing({"ghost"}), "ghost"},  {removing({"n01", "n01"}), "n01"},
      {weighing("ghost", 2), "ghost"}, {replacing("ghost", fresh("x")), "ghost"},
      {adding(fresh("n01")), "n01"},   {replacing("n00", fresh("n01")), "n01"},
  };
  for (const auto& [change, argument] : wrong) {
    const Applied done = run(map, change);
    ASSERT_FALSE(done.map) << argument;
    EXPECT_EQ(done.error.what, argument);
    EXPECT_EQ(done.error.kind, ErrorKind::input);
    EXPECT_FALSE(done.error.why.empty());
    EXPECT_FALSE(done.error.advice.empty());
  }
  EXPECT_NE(run(map, removing({"ghost"})).error.advice.find("n00, n01, n02, n03"), std::string::npos);
}

TEST(Apply, impossible_weights_are_errors) {
  const ClusterMap map = testing::hashed_ring(testing::nodes(2), 8);
  for (double weight :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e30}) {
    EXPECT_FALSE(run(map, weighing("n00", weight)).map) << weight;
    EXPECT_FALSE(run(map, adding(fresh("x", weight))).map) << weight;
  }
  EXPECT_FALSE(
      run(given_ring({node_at("a", {1})}), adding(fresh("x", std::numeric_limits<double>::quiet_NaN()))).map);
}

// Decommissioning one of three nodes with three replicas.
TEST(Apply, too_few_nodes_for_the_replicas_is_refused_before_anything_moves) {
  for (const WhenShort when_short : {WhenShort::refuse, WhenShort::repeat}) {
    auto p = testing::parts("ring", testing::nodes(3), 3);
    p.replicas.when_short = when_short;
    const Applied done = run(map_of(p), removing({"n02"}));
    ASSERT_FALSE(done.map);
    EXPECT_EQ(done.error.what, "n02");
    EXPECT_EQ(done.error.why, "2 nodes cannot hold 3 replicas: 1 is missing");
    EXPECT_EQ(done.error.advice, "add a node first, or lower the replica count");
  }
}

TEST(Apply, too_few_nodes_in_a_zone_names_the_zone) {
  auto p = testing::parts("ring", {node("a", 1, "", "eu"), node("b", 1, "", "eu"), node("c", 1, "", "us")});
  p.replicas.per_zone = {{"eu", 2}, {"us", 1}};
  const Applied done = run(map_of(p), removing({"a"}));
  ASSERT_FALSE(done.map);
  EXPECT_EQ(done.error.why, "1 node in zone 'eu' cannot hold 2 replicas: 1 is missing");
}

TEST(Apply, a_node_added_in_the_same_change_fills_the_gap) {
  Change change = removing({"n02"});
  change.add = {fresh("n03")};
  EXPECT_TRUE(run(testing::hashed_ring(testing::nodes(3), 8, 3), change).map);
}

TEST(Apply, the_last_rack_of_three_is_refused_unless_repeats_are_accepted) {
  const Applied refused = run(racked({3, 3, 1}, 3), removing({"r3-0"}));
  ASSERT_FALSE(refused.map);
  EXPECT_NE(to_string(refused.error).find("fewer racks than replicas"), std::string::npos);
  EXPECT_TRUE(run(racked({3, 3, 1}, 3, WhenShort::repeat), removing({"r3-0"})).map);
}

TEST(Replace, keeps_given_tokens_and_moves_only_the_old_share) {
  auto nodes = std::vector<Node>{node_at("a", {1, 1u << 30}, "r1", "eu"),
                                 node_at("b", {1u << 20, std::uint64_t{1} << 63})};
  nodes[1].weight = 4;
  const ClusterMap before = given_ring(nodes);
  const Applied done = run(before, replacing("b", at_address("c", "10.0.0.3:9042")));
  ASSERT_TRUE(done.map);
  const Node& c = done.map->nodes()[1];
  EXPECT_EQ(c.tokens, before.nodes()[1].tokens);
  EXPECT_EQ(c.weight, 4);
  EXPECT_TRUE(done.warnings.empty());
  const Diff d = difference(before, *done.map);
  ASSERT_EQ(d.transfers.size(), 1u);
  EXPECT_EQ(d.transfers[0].from, "b");
  EXPECT_EQ(d.transfers[0].to, "c");
  EXPECT_EQ(d.moved, d.least);
}

TEST(Replace, under_the_same_name_at_a_new_address_moves_nothing) {
  for (const std::string_view recipe : {"ring", "modulo", "twemproxy-ketama"}) {
    auto p = testing::parts(recipe, testing::nodes(5), 2);
    for (Node& n : p.nodes) n.address = n.name + ":11211";
    p.nodes[2].label = "its-label";
    const ClusterMap before = map_of(p);
    const Applied done = run(before, replacing("n02", at_address("n02", "10.9.9.9:11211")));
    ASSERT_TRUE(done.map);
    EXPECT_EQ(done.map->nodes()[2].address, "10.9.9.9:11211");
    EXPECT_EQ(done.map->nodes()[2].host, "10.9.9.9");
    EXPECT_EQ(done.map->nodes()[2].label, "its-label");
    EXPECT_TRUE(done.warnings.empty());
    const Diff d = difference(before, *done.map);
    EXPECT_EQ(d.before, d.after);
    EXPECT_EQ(d.moved, Share{});
  }
}

TEST(Replace, under_a_new_name_warns_that_points_come_from_the_name) {
  for (const std::string_view recipe : {"ring", "twemproxy-ketama"}) {
    const ClusterMap before = map_of(testing::parts(recipe, testing::nodes(8), 1, Across::node, 256));
    const Applied done = run(before, replacing("n02", fresh("other")));
    ASSERT_TRUE(done.map);
    EXPECT_TRUE(has_rule(done.warnings, "renamed"));
    const Diff d = difference(before, *done.map);
    EXPECT_GT(d.moved.value(), 1.5 * d.least.value());
  }
  EXPECT_TRUE(run(testing::modulo(8), replacing("n02", fresh("other"))).warnings.empty());
}

TEST(Replace, in_a_table_takes_the_rows_over) {
  const ClusterMap before = testing::table({node("a"), node("b")}, {{{9}, {0, 1}}, {{99}, {1, 0}}}, 2);
  const Diff d = difference(before, after(before, replacing("a", fresh("c"))));
  ASSERT_EQ(d.transfers.size(), 1u);
  EXPECT_EQ(d.transfers[0].from, "a");
  EXPECT_EQ(d.transfers[0].to, "c");
  EXPECT_EQ(d.moved, Share::whole());
}

TEST(Tables, add_and_weight_are_refused_with_what_to_bring) {
  auto p = testing::parts("cassandra-ranges", {node("a"), node("b")}, 2);
  p.placement.table = {{{9}, {0, 1}}, {{99}, {1, 0}}};
  for (const Change& change : {adding(fresh("c")), weighing("a", 2), removing({"a"})}) {
    const Applied done = run(map_of(p), change);
    ASSERT_FALSE(done.map);
    EXPECT_NE(done.error.advice.find("nodetool ring"), std::string::npos);
  }
}

TEST(Tables, a_node_that_owns_nothing_can_be_removed_and_the_others_keep_their_rows) {
  const ClusterMap before =
      testing::table({node("idle"), node("a"), node("b")}, {{{9}, {1, 2}}, {{99}, {2, 1}}}, 2);
  const ClusterMap then = after(before, removing({"idle"}));
  EXPECT_EQ(then.nodes().size(), 2u);
  const Diff d = difference(before, then);
  EXPECT_EQ(d.before, d.after);
  EXPECT_EQ(d.differs, Share{});
}

TEST(GivenTokens, a_new_node_without_tokens_gets_those_of_the_median_by_weight) {
  std::vector<Node> nodes = {node_at("a", {1, 2, 3}), node_at("b", {11, 12, 13, 14}),
                             node_at("c", {21, 22, 23, 24, 25, 26, 27, 28})};
  nodes[2].weight = 2;
  const Applied done = run(given_ring(nodes), adding(fresh("d", 1.5)));
  ASSERT_TRUE(done.map);
  EXPECT_EQ(done.map->nodes()[3].tokens.size(), 6u);
  EXPECT_TRUE(has_rule(done.warnings, "tokens-by-hash"));
  EXPECT_EQ(done.warnings[0].subject, "d");
}

TEST(GivenTokens, are_hashed_as_ring_hashes_them) {
  auto p = testing::parts("ring", testing::nodes(3), 1, Across::node, 4);
  p.nodes.push_back(node("new"));
  const Placement hashed = compile(map_of(p));
  p.nodes.pop_back();
  p.placement.given = true;
  for (std::size_t i = 0; i < hashed.entry_count(); ++i)
    if (hashed.entry(i).node < 3) p.nodes[hashed.entry(i).node].tokens.push_back(hashed.entry(i).token);
  EXPECT_EQ(fingerprints(compile(after(map_of(p), adding(fresh("new"))))).fingerprint,
            fingerprints(hashed).fingerprint);
}

TEST(GivenTokens, are_bumped_past_collisions_and_round_the_top) {
  auto p = testing::parts("ring", {}, 1);
  p.placement.hash = KeyHashId::crc16;
  p.placement.given = true;
  p.nodes = {node("a"), node("b")};
  // All of the ring's 65,536 positions but eight are taken.
  for (std::uint64_t t = 0; t < 65536; ++t)
    if (t % 8192 != 77) p.nodes[t % 2].tokens.push_back({t});
  const Applied full = run(map_of(p), adding(fresh("c", 0.0001)));
  ASSERT_TRUE(full.map);
  EXPECT_EQ(full.map->nodes()[2].tokens.size(), 3u);
  for (const Token t : full.map->nodes()[2].tokens) EXPECT_EQ(static_cast<unsigned>(t.value % 8192), 77u);
}

TEST(GivenTokens, of_a_new_node_are_read_as_hex_or_named_in_the_error) {
  const ClusterMap map = given_ring({node_at("a", {1}), node_at("b", {2})});
  NewNode c = fresh("c");
  c.tokens = {"0f3a", "8000000000000000"};
  EXPECT_EQ(after(map, adding(c)).nodes()[2].tokens,
            (std::vector<Token>{{0x0f3a}, {std::uint64_t{1} << 63}}));
  for (const std::string bad : {"xyz", "", "1ffffffffffffffff"}) {
    c.tokens = {bad};
    EXPECT_EQ(run(map, adding(c)).error.what, bad);
  }
  c.tokens = {"2"};
  EXPECT_NE(run(map, adding(c)).error.why.find("both"), std::string::npos);
}

TEST(GivenTokens, a_weight_moves_nothing_and_says_so) {
  const Applied done = run(given_ring({node_at("a", {1}), node_at("b", {2})}), weighing("a", 2));
  ASSERT_TRUE(done.map);
  EXPECT_EQ(done.map->nodes()[0].weight, 2);
  EXPECT_TRUE(has_rule(done.warnings, "weight-without-effect"));
}

TEST(TwemproxyKetama, weights_are_whole_numbers) {
  const ClusterMap map = map_of(testing::parts("twemproxy-ketama", testing::nodes(3)));
  EXPECT_EQ(run(map, weighing("n00", 1.5)).error.what, "n00");
  EXPECT_EQ(run(map, adding(fresh("x", 0.5))).error.what, "x");
  EXPECT_TRUE(run(map, weighing("n00", 2)).map);
}

TEST(TwemproxyKetama, a_new_server_is_labelled_as_the_recipe_labels_it) {
  const ClusterMap map = map_of(testing::parts("twemproxy-ketama", testing::nodes(3)));
  EXPECT_EQ(after(map, adding(at_address("10.0.0.5:11211", "10.0.0.5:11211"))).nodes()[3].label, "10.0.0.5");
}

// Random maps: weights, racks, zones, hosts, one to three copies, every level, hashed or given tokens.
ClusterMap::Parts any_parts() {
  static const std::vector<double> weights = {1, 0.5, 2, 3.25};
  auto p = testing::parts("ring", {}, *rc::gen::inRange(1u, 4u), static_cast<Across>(*rc::gen::inRange(0, 4)),
                          *rc::gen::inRange(1u, 12u));
  const std::size_t count = *rc::gen::inRange<std::size_t>(2, 9);
  for (std::size_t i = 0; i < count; ++i) {
    p.nodes.push_back(node(testing::numbered("n", i), *rc::gen::elementOf(weights),
                           "r" + std::to_string(*rc::gen::inRange(0, 3)),
                           "z" + std::to_string(*rc::gen::inRange(0, 2)),
                           "h" + std::to_string(*rc::gen::inRange(0, 6))));
  }
  p.replicas.when_short = WhenShort::repeat;
  if (*rc::gen::inRange(0, 3) == 0)
    p.replicas.per_zone = {{"z0", *rc::gen::inRange(1u, 3u)}, {"z1", *rc::gen::inRange(1u, 3u)}};
  return p;
}
NewNode any_new_node() {
  NewNode n =
      fresh("new", *rc::gen::elementOf(std::vector<double>{1, 0.5, 2, 3.25}),
            "r" + std::to_string(*rc::gen::inRange(0, 4)), "z" + std::to_string(*rc::gen::inRange(0, 2)));
  n.host = "h" + std::to_string(*rc::gen::inRange(0, 7));
  return n;
}

// Each region of either map, asked in both: lists differ only where the node is in one of them.
void check_views_differ_only_on_its_arcs(const ClusterMap& with, const ClusterMap& without,
                                         const std::string& name) {
  const Placement a = compile(with), b = compile(without);
  for (const Placement* p : {&a, &b})
    for (std::size_t i = 0; i < p->region_count(); ++i) {
      const KeyHash hash{p->region(i).upto.value};
      const auto x = testing::owner_names(a, hash), y = testing::owner_names(b, hash);
      if (x == y) continue;
      RC_ASSERT(std::find(x.begin(), x.end(), name) != x.end());
      if (with.replicas().count == 1) RC_ASSERT(x.front() == name);
    }
}

RC_GTEST_PROP(Properties, adding_a_node_moves_keys_only_to_it, ()) {
  const ClusterMap before = map_of(any_parts());
  const ClusterMap then = after(before, adding(any_new_node()));
  const Diff d = difference(before, then);
  for (const Transfer& t : d.transfers) RC_ASSERT(t.to == "new");
  RC_ASSERT(d.moved == d.least);
  check_views_differ_only_on_its_arcs(then, before, "new");
}

RC_GTEST_PROP(Properties, removing_a_node_moves_only_its_own_keys, ()) {
  auto p = any_parts();
  const std::string leaver = p.nodes[*rc::gen::inRange<std::size_t>(0, p.nodes.size())].name;
  const ClusterMap before = map_of(p);
  const Applied done = run(before, removing({leaver}));
  if (!done.map) return;  // too few nodes would be left
  const Diff d = difference(before, *done.map);
  for (const Transfer& t : d.transfers) RC_ASSERT(t.from == leaver);
  RC_ASSERT(d.moved == d.least);
  check_views_differ_only_on_its_arcs(before, *done.map, leaver);
}

RC_GTEST_PROP(Properties, adding_and_removing_the_same_node_is_nothing, ()) {
  const ClusterMap before = map_of(any_parts());
  const Applied back = run(after(before, adding(any_new_node())), removing({"new"}));
  if (!back.map) return;  // it was the only node of a zone that asks for one
  RC_ASSERT(fingerprints(compile(*back.map)).fingerprint == fingerprints(compile(before)).fingerprint);
}

RC_GTEST_PROP(Properties, a_higher_weight_moves_keys_only_to_its_node, ()) {
  auto p = any_parts();
  Node& n = p.nodes[*rc::gen::inRange<std::size_t>(0, p.nodes.size())];
  const std::string heavier = n.name;
  const double weight = n.weight * *rc::gen::inRange(1, 4);
  const ClusterMap before = map_of(p);
  const Diff d = difference(before, after(before, weighing(heavier, weight)));
  for (const Transfer& t : d.transfers) RC_ASSERT(t.to == heavier);
  RC_ASSERT(d.moved == d.least);
}

TEST(Apply, a_new_node_names_its_rack_where_copies_are_spread_by_rack) {
  std::vector<Node> nodes = testing::nodes(6);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].rack = "r" + std::to_string(i % 3);
  const ClusterMap map = testing::hashed_ring(nodes, 16, 3, Across::rack);
  Change change;
  change.add.emplace_back();
  change.add[0].name = "new";
  std::vector<Finding> warnings;
  const auto refused = apply(map, change, warnings);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().advice.find("r0, r1, r2"), std::string::npos);
  change.add[0].rack = "r1";
  EXPECT_TRUE(apply(map, change, warnings));
}

}  // namespace
}  // namespace arcwise
