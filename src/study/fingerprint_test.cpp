#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>

#include "arcwise/check.hpp"
#include "hash/sha256.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using testing::map_of;
using testing::node;
using testing::parts;

Fingerprints of(const ClusterMap& map) {
  return fingerprints(compile(map));
}

std::string first_16_hex(const std::string& text) {
  const auto digest = sha256(text);
  std::string out;
  char byte[3];
  for (std::size_t i = 0; i < 8; ++i) {
    std::snprintf(byte, sizeof byte, "%02x", unsigned{digest[i]});
    out += byte;
  }
  return out;
}

ClusterMap three_given() {
  ClusterMap::Parts p = parts("ring", {node("b"), node("a"), node("c")});
  p.placement.given = true;
  p.nodes[0].tokens = {{0x10}, {0xffffffffffffffff}};
  p.nodes[1].tokens = {{0x0f3a}};
  p.nodes[2].tokens = {{0x8000000000000000}};
  return map_of(std::move(p));
}

ClusterMap::Parts racked() {
  ClusterMap::Parts p = parts("ring", {}, 3, Across::rack, 4);
  for (std::size_t i = 0; i < 6; ++i)
    p.nodes.push_back(
        node(testing::numbered("n", i), 1 + static_cast<double>(i % 2), "r" + std::to_string(i % 3), "eu"));
  return p;
}

// printf '%s\n' '0000000000000010 b' '0000000000000f3a a' '8000000000000000 c' 'ffffffffffffffff b' |
// sha256sum
TEST(TokenDigest, is_what_a_shell_computes) {
  EXPECT_EQ(of(three_given()).token_digest, "8610ca8668860d5f");
}

// printf '%s\n' arcwise-function/1 'recipe ring' 'hash xxh3' 'key-prep none' 'replicas 1 node' … | sha256sum
TEST(Fingerprint, is_what_a_shell_computes) {
  EXPECT_EQ(of(three_given()).fingerprint, "7ecb48a1eea4ec65");
}

TEST(TokenDigest, is_of_every_entry_in_ring_order) {
  const ClusterMap map = map_of(racked());
  const Placement placement = compile(map);
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Node& n : map.nodes())
    for (int i = 0; i < 4 * n.weight; ++i)
      entries.emplace_back(to_hex(map.space(), {key_hash(KeyHashId::xxh3, n.name + ":" + std::to_string(i))}),
                           n.name);
  std::sort(entries.begin(), entries.end());
  std::string text;
  for (const auto& [token, name] : entries) text += token + " " + name + "\n";
  EXPECT_EQ(fingerprints(placement).token_digest, first_16_hex(text));
}

TEST(TokenDigest, is_empty_where_the_key_itself_chooses) {
  for (const char* recipe : {"rendezvous", "jump", "anchor", "multi-probe"})
    EXPECT_EQ(of(map_of(parts(recipe, {node("a"), node("b")}, 1, Across::node, 1))).token_digest, "")
        << recipe;
}

TEST(Fingerprint, numbered_buckets_count_and_not_the_list_they_stand_in) {
  const auto jump = [](std::vector<Node> nodes) {
    return of(map_of(parts("jump", std::move(nodes), 1, Across::node, 1))).fingerprint;
  };
  Node a = node("a"), b = node("b");
  const std::string listed_a_first = jump({a, b}), listed_b_first = jump({b, a});
  EXPECT_NE(listed_a_first, listed_b_first);
  a.buckets = {0}, b.buckets = {1};
  EXPECT_EQ(jump({a, b}), listed_a_first);
  EXPECT_EQ(jump({b, a}), listed_a_first);
}

TEST(Fingerprint, rack_aware_maps_list_their_nodes) {
  const ClusterMap map = map_of(racked());
  const Placement placement = compile(map);
  std::string text = "arcwise-function/1\nrecipe ring\nhash xxh3\nkey-prep none\nreplicas 3 rack\n";
  for (std::size_t i = 0; i < placement.entry_count(); ++i)
    text += to_hex(map.space(), placement.entry(i).token) + " " + map.nodes()[placement.entry(i).node].name +
            "\n";
  for (const Node& n : map.nodes()) text += "node " + n.name + " " + n.name + " " + n.rack + " eu\n";
  EXPECT_EQ(fingerprints(placement).fingerprint, first_16_hex(text));
}

TEST(Fingerprint, per_zone_counts_are_sorted_lines) {
  ClusterMap::Parts p = racked();
  for (std::size_t i = 3; i < 6; ++i) p.nodes[i].zone = "us";
  p.replicas.per_zone = {{"us", 1}, {"eu", 2}};
  p.replicas.when_short = WhenShort::repeat;
  const ClusterMap map = map_of(std::move(p));
  const Placement placement = compile(map);
  std::string text =
      "arcwise-function/1\nrecipe ring\nhash xxh3\nkey-prep none\nzone eu 2\nzone us 1\nacross rack repeat\n";
  for (std::size_t i = 0; i < placement.entry_count(); ++i)
    text += to_hex(map.space(), placement.entry(i).token) + " " + map.nodes()[placement.entry(i).node].name +
            "\n";
  for (const Node& n : map.nodes())
    text += "node " + n.name + " " + n.name + " " + n.rack + " " + n.zone + "\n";
  EXPECT_EQ(fingerprints(placement).fingerprint, first_16_hex(text));
}

TEST(Membership, is_one_tab_separated_line_a_node) {
  ClusterMap::Parts p = parts("ring", {node("b", 0.1), node("a", 2.5, "r1", "eu")});
  p.nodes[0].address = "10.0.0.2:11211";
  p.nodes[1].state = NodeState::leaving;
  EXPECT_EQ(of(map_of(std::move(p))).membership,
            first_16_hex("arcwise-membership/1\n"
                         "a\t\ta\t2.5\tr1\teu\tleaving\n"
                         "b\t10.0.0.2:11211\t10.0.0.2\t0.1\t\t\tnormal\n"));
}

TEST(Fingerprint, of_a_table_does_not_depend_on_where_equal_neighbours_are_cut) {
  const std::vector<Node> abc = {node("a"), node("b"), node("c")};
  const ClusterMap whole = testing::table(abc, {{{100}, {0, 1}}, {{500}, {1, 2}}, {{900}, {2, 0}}}, 2);
  const ClusterMap cut = testing::table(
      abc, {{{50}, {0, 1}}, {{100}, {0, 1}}, {{500}, {1, 2}}, {{900}, {2, 0}}, {{~std::uint64_t{0}}, {0, 1}}},
      2);
  EXPECT_EQ(of(whole).fingerprint, of(cut).fingerprint);
  EXPECT_EQ(of(whole).fingerprint,
            first_16_hex("arcwise-function/1\nrecipe ranges\nhash xxh3\nkey-prep none\nreplicas 2 node\n"
                         "0000000000000064 a,b\n00000000000001f4 b,c\n0000000000000384 c,a\n"));
}

TEST(Fingerprint, of_one_owner_of_everything_is_one_line) {
  EXPECT_EQ(of(testing::table({node("a,b")}, {{{1}, {0}}, {{5}, {0}}})).fingerprint,
            first_16_hex("arcwise-function/1\nrecipe ranges\nhash xxh3\nkey-prep none\nreplicas 1 node\n"
                         "ffffffffffffffff a\\,b\n"));
}

TEST(Fingerprint, names_with_commas_and_spaces_are_not_taken_for_several) {
  EXPECT_NE(of(testing::table({node("a,b"), node("c")}, {{{9}, {0, 1}}, {{99}, {1, 0}}}, 2)).fingerprint,
            of(testing::table({node("a"), node("b,c")}, {{{9}, {0, 1}}, {{99}, {1, 0}}}, 2)).fingerprint);
}

TEST(Fingerprint, slots_of_a_table_count) {
  ClusterMap::Parts p = parts("ranges", {node("a"), node("b")});
  p.placement.table = {{{99}, {0}}, {{16383}, {1}}};
  const std::string ring = of(map_of(p)).fingerprint;
  p.placement.slots = 16384;
  EXPECT_NE(of(map_of(p)).fingerprint, ring);
}

TEST(Fingerprint, joining_nodes_enter_membership_only) {
  const Fingerprints before = of(map_of(racked()));
  ClusterMap::Parts p = racked();
  p.nodes.push_back(node("n99", 1, "r9", "eu"));
  p.nodes.back().state = NodeState::joining;
  const Fingerprints after = of(map_of(std::move(p)));
  EXPECT_EQ(before.fingerprint, after.fingerprint);
  EXPECT_EQ(before.token_digest, after.token_digest);
  EXPECT_NE(before.membership, after.membership);
}

TEST(Fingerprint, given_tokens_equal_to_hashed_ones_are_the_same_function) {
  ClusterMap::Parts p = racked();
  const ClusterMap hashed = map_of(p);
  const Placement placement = compile(hashed);
  p.placement.given = true;
  for (std::size_t i = 0; i < placement.entry_count(); ++i)
    p.nodes[placement.entry(i).node].tokens.push_back(placement.entry(i).token);
  EXPECT_EQ(of(map_of(std::move(p))).fingerprint, of(hashed).fingerprint);
}

RC_GTEST_PROP(Fingerprint, does_not_know_list_order_address_epoch_or_cluster_name, ()) {
  ClusterMap::Parts p = racked();
  const Fingerprints before = of(map_of(p));
  for (std::size_t i = p.nodes.size(); i > 1; --i)
    std::swap(p.nodes[i - 1], p.nodes[*rc::gen::inRange<std::size_t>(0, i)]);
  p.cluster = *rc::gen::container<std::string>(rc::gen::inRange(' ', '~'));
  p.epoch = *rc::gen::arbitrary<std::uint64_t>();
  const Fingerprints shuffled = of(map_of(p));
  RC_ASSERT(shuffled.fingerprint == before.fingerprint);
  RC_ASSERT(shuffled.token_digest == before.token_digest);
  RC_ASSERT(shuffled.membership == before.membership);
  RC_ASSERT(shuffled.epoch == p.epoch);
  for (Node& n : p.nodes) {
    n.host = n.host.empty() ? n.name : n.host;
    n.address = "10.9.8.7:1";
  }
  const Fingerprints moved = of(map_of(p));
  RC_ASSERT(moved.fingerprint == before.fingerprint);
  RC_ASSERT(moved.membership != before.membership);
}

TEST(Fingerprint, every_part_of_the_function_changes_it) {
  const std::vector<std::function<void(ClusterMap::Parts&)>> edits = {
      [](auto& p) { p.nodes[0].weight = 3; },
      [](auto& p) { p.nodes[0].name = "other"; },
      [](auto& p) { p.nodes[0].label = "other"; },
      [](auto& p) { p.nodes[0].rack = "r9"; },
      [](auto& p) { p.nodes.pop_back(); },
      [](auto& p) { p.placement.tokens = 5; },
      [](auto& p) { p.placement.hash = KeyHashId::xxh64; },
      [](auto& p) { p.placement.hash_tag = "{}"; },
      [](auto& p) { p.replicas.count = 2; },
      [](auto& p) { p.replicas.across = Across::host; },
      [](auto& p) { p.replicas.when_short = WhenShort::repeat; },
      [](auto& p) { p.replicas.per_zone = {{"eu", 3}}; },
      [](auto& p) { p.placement.recipe = find_recipe("modulo"); },
  };
  std::vector<std::string> seen = {of(map_of(racked())).fingerprint};
  for (const auto& edit : edits) {
    ClusterMap::Parts p = racked();
    edit(p);
    seen.push_back(of(map_of(std::move(p))).fingerprint);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(Fingerprint, one_token_changes_it) {
  ClusterMap::Parts p = three_given().parts();
  const Fingerprints before = of(three_given());
  p.nodes[1].tokens[0].value += 1;
  const Fingerprints after = of(map_of(std::move(p)));
  EXPECT_NE(after.fingerprint, before.fingerprint);
  EXPECT_NE(after.token_digest, before.token_digest);
  EXPECT_EQ(after.membership, before.membership);
}

}  // namespace
}  // namespace arcwise
