#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <set>

#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::given_ring;
using testing::map_of;
using testing::node;
using testing::node_at;
using testing::owner_names;
using testing::parts;
using Names = std::vector<std::string>;

std::string owner(const Placement& p, std::uint64_t hash) {
  return owner_names(p, {hash}).at(0);
}

// Completeness item 8: the ring of 0…99.
TEST(ring, small_ring_gives_each_key_to_the_next_token_clockwise) {
  const Placement p =
      compile(given_ring({node_at("A", {10}), node_at("B", {35}), node_at("C", {60}), node_at("D", {85})}));
  EXPECT_EQ(owner(p, 22), "B");
  EXPECT_EQ(owner(p, 71), "D");
  EXPECT_EQ(owner(p, 93), "A") << "past the last token the ring wraps";
  EXPECT_EQ(owner(p, 35), "B") << "a hash equal to a token belongs to it";
}

TEST(ring, a_new_node_in_the_small_ring_takes_its_arc_from_one_donor_only) {
  const std::vector<Node> before{node_at("A", {10}), node_at("B", {35}), node_at("C", {60}),
                                 node_at("D", {85})};
  std::vector<Node> after = before;
  after.push_back(node_at("E", {48}));
  const Placement old = compile(given_ring(before));
  const Placement now = compile(given_ring(after));
  for (std::uint64_t h = 0; h < 100; ++h) {
    if (h >= 36 && h <= 48) {
      EXPECT_EQ(owner(old, h), "C") << h;
      EXPECT_EQ(owner(now, h), "E") << h;
    } else {
      EXPECT_EQ(owner(now, h), owner(old, h)) << h;
    }
  }
}

TEST(ring, successor_rule_at_and_around_tokens) {
  const Placement p = compile(given_ring({node_at("A", {100}), node_at("B", {200})}));
  const std::array<std::pair<std::uint64_t, const char*>, 6> expected{
      {{50, "A"}, {100, "A"}, {101, "B"}, {200, "B"}, {201, "A"}, {4294967295u, "A"}}};
  for (const auto& [hash, name] : expected) EXPECT_EQ(owner(p, hash), name) << hash;
}

TEST(ring, preference_list_skips_further_vnodes_of_an_owner) {
  const Placement p =
      compile(given_ring({node_at("A", {10, 20}), node_at("B", {30}), node_at("C", {40})}, 2));
  EXPECT_EQ(owner_names(p, {5}), (Names{"A", "B"}));
}

// Completeness item 10: one node has 60 % of all positions.
TEST(ring, a_node_with_most_positions_never_appears_twice) {
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = 0; i < 60; ++i) many.push_back(i * 1000);
  std::vector<Node> nodes{node_at("big", many)};
  for (std::uint64_t n = 0; n < 4; ++n) {
    std::vector<std::uint64_t> few;
    for (std::uint64_t i = 0; i < 10; ++i) few.push_back(500 + 1000 * (i * 6 + n));
    nodes.push_back(node_at("small" + std::to_string(n), few));
  }
  const Placement p = compile(given_ring(nodes, 3));
  for (std::uint64_t h = 0; h < 61000; h += 250) {
    const Names names = owner_names(p, {h});
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 3u) << h;
  }
}

TEST(ring, one_token_owns_the_whole_circle) {
  const ClusterMap map = given_ring({node_at("only", {12345})});
  const Placement p = compile(map);
  ASSERT_EQ(p.region_count(), 1u);
  EXPECT_EQ(share_of(map.domain(), p.region(0)), Share::whole());
  EXPECT_EQ(owner(p, 0), "only");
  EXPECT_EQ(owner(p, ~std::uint64_t{0}), "only");
}

TEST(ring, equal_tokens_go_to_the_smaller_name_in_any_list_order) {
  // Sixteen-bit positions: 4 nodes of 20,000 tokens must collide.
  for (const bool reversed : {false, true}) {
    std::vector<Node> nodes{node("a"), node("b"), node("c"), node("d")};
    if (reversed) std::reverse(nodes.begin(), nodes.end());
    auto p = parts("ring", nodes, 2, Across::node, 20000);
    p.placement.hash = KeyHashId::crc16;
    const Placement placement = compile(map_of(std::move(p)));
    EXPECT_EQ(placement.entry_count(), 80000u);
    EXPECT_LT(placement.region_count(), 65536u);
    std::size_t collisions = 0;
    for (std::size_t i = 1; i < placement.entry_count(); ++i) {
      const auto a = placement.entry(i - 1);
      const auto b = placement.entry(i);
      if (a.token != b.token) continue;
      ++collisions;
      EXPECT_LE(placement.map().nodes()[a.node].name, placement.map().nodes()[b.node].name);
    }
    EXPECT_GT(collisions, 1000u);
    Share sum;
    for (std::size_t i = 0; i < placement.region_count(); ++i)
      sum += share_of(placement.map().domain(), placement.region(i));
    EXPECT_EQ(sum, Share::whole());
  }
}

TEST(ring, tokens_come_from_the_name_and_never_from_the_address) {
  std::vector<Node> nodes{node("a"), node("b"), node("c")};
  const Placement before = compile(map_of(parts("ring", nodes)));
  for (Node& n : nodes) n.address = "10.9.8.7:" + n.name;
  const Placement after = compile(map_of(parts("ring", nodes)));
  ASSERT_EQ(before.entry_count(), after.entry_count());
  for (std::size_t i = 0; i < before.entry_count(); ++i)
    EXPECT_EQ(before.entry(i).token, after.entry(i).token);
}

TEST(ring, vnode_labels_of_different_nodes_never_coincide) {
  // Concatenated without a separator, "n:5" and "n:55" would share 10 of 100 labels.
  const Placement p = compile(map_of(parts(
      "ring", {node("192.0.2.7:5"), node("192.0.2.7:55"), node("192.0.2.7:5:5")}, 1, Across::node, 100)));
  EXPECT_EQ(p.region_count(), 300u);
}

TEST(ring, weights_become_token_counts_rounded_half_up_and_at_least_one) {
  EXPECT_EQ(token_count(1, 16), 16u);
  EXPECT_EQ(token_count(0.5, 1), 1u);
  EXPECT_EQ(token_count(1.5, 1), 2u);
  EXPECT_EQ(token_count(2.4, 1), 2u);
  EXPECT_EQ(token_count(0.001, 16), 1u);
  const Placement p = compile(map_of(parts("ring", {node("a", 2), node("b", 0.001)})));
  EXPECT_EQ(p.entry_count(), 33u);
}

TEST(ring, a_joining_node_owns_nothing_and_a_leaving_one_still_does) {
  std::vector<Node> nodes{node("a"), node("b"), node("c")};
  nodes[1].state = NodeState::joining;
  nodes[2].state = NodeState::leaving;
  const Placement p = compile(map_of(parts("ring", nodes)));
  bool b_owns = false, c_owns = false;
  for (std::size_t i = 0; i < p.entry_count(); ++i) {
    b_owns |= p.entry(i).node == 1;
    c_owns |= p.entry(i).node == 2;
  }
  EXPECT_FALSE(b_owns);
  EXPECT_TRUE(c_owns);
}

RC_GTEST_PROP(ring, batch_answers_equal_single_answers, (std::vector<std::uint64_t> hashes)) {
  static const Placement p =
      compile(map_of(parts("ring", {node("a"), node("b", 3), node("c"), node("d", 0.5)})));
  std::vector<NodeIndex> out(hashes.size());
  p.primary(hashes, out);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    std::array<NodeIndex, 1> one;
    RC_ASSERT(p.owners({{}, {hashes[i]}, {}}, one) == 1u);
    RC_ASSERT(out[i] == one[0]);
    RC_ASSERT(out[i] == p.primary({hashes[i]}));
  }
}

TEST(modulo, later_candidates_are_the_next_slots) {
  const Placement p = compile(map_of(parts("modulo", {node("a"), node("b"), node("c", 2)}, 3)));
  EXPECT_EQ(p.map().space().last, 3u);
  EXPECT_EQ(owner_names(p, {0}), (Names{"a", "b", "c"}));
  EXPECT_EQ(owner_names(p, {2}), (Names{"c", "a", "b"}));
  EXPECT_EQ(p.hash("x").value, key_hash(KeyHashId::xxh3, "x") % 4);
}

}  // namespace
}  // namespace arcwise
