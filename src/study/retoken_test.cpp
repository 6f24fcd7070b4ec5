#include "arcwise/retoken.hpp"

#include <algorithm>

#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace testing;

ClusterMap random_ring(std::size_t count, std::size_t tokens, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Node> nodes;
  for (std::size_t n = 0; n < count; ++n) {
    nodes.push_back(node_at(numbered("n", n), {}, "r1", "dc1"));
    for (std::size_t t = 0; t < tokens; ++t) nodes.back().tokens.push_back({rng.next()});
    std::sort(nodes.back().tokens.begin(), nodes.back().tokens.end());
  }
  return map_of(parts("cassandra-murmur3", std::move(nodes), 3));
}

NodeIndex fullest(const ClusterMap& map) {
  const Ownership own = ownership(compile(map));
  NodeIndex out = 0;
  for (NodeIndex n = 0; n < own.nodes.size(); ++n)
    if (own.nodes[n].effective > own.nodes[out].effective) out = n;
  return out;
}

TEST(Retoken, the_fullest_node_comes_back_with_as_many_tokens_and_near_its_fair_share) {
  const ClusterMap map = random_ring(8, 8, 5);
  const std::string node = map.nodes()[fullest(map)].name;
  const auto done = retoken(map, {node, std::nullopt, Allocator::arcwise, 1, 0});
  ASSERT_TRUE(done) << to_string(done.error());
  EXPECT_EQ(done->without.nodes().size(), 7U);
  EXPECT_FALSE(done->without.find(node));
  const ClusterMap& after = done->joined.after;
  EXPECT_EQ(after.nodes().back().name, node);
  EXPECT_EQ(after.nodes().back().rack, "r1");
  EXPECT_EQ(after.nodes().back().tokens.size(), 8U);
  const Ownership was = ownership(compile(map)), is = ownership(compile(after));
  EXPECT_GT(was.nodes[fullest(map)].ratio(), 1.2);
  EXPECT_NEAR(is.nodes.back().ratio(), 1, 0.1);
  EXPECT_LT(is.balance.max_over_target, was.balance.max_over_target);
  for (const Node& n : map.nodes())
    if (n.name != node) {
      EXPECT_EQ(after.nodes()[*after.find(n.name)].tokens, n.tokens);
    }
}

TEST(Retoken, others_shift_their_tokens_only_where_that_is_allowed) {
  const ClusterMap map = random_ring(8, 8, 5);
  RetokenRequest request{"n03", std::nullopt, Allocator::arcwise, 1, 0};
  const auto plain = retoken(map, request);
  request.extra_movement = 0.2;
  const auto shifted = retoken(map, request);
  ASSERT_TRUE(plain && shifted);
  EXPECT_TRUE(plain->joined.shifts.empty());
  EXPECT_FALSE(shifted->joined.shifts.empty());
  EXPECT_LT(shifted->joined.balance_after.max_over_target, plain->joined.balance_after.max_over_target);
}

TEST(Retoken, a_node_that_cannot_leave_is_an_error) {
  EXPECT_FALSE(retoken(random_ring(3, 4, 1), {"n00", std::nullopt, Allocator::arcwise, 1, 0}));
  const auto unknown = retoken(random_ring(4, 4, 1), {"nobody", std::nullopt, Allocator::arcwise, 1, 0});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "nobody");
}

TEST(TokenCount, another_number_on_a_node_that_is_there_is_told) {
  const ClusterMap map = random_ring(4, 4, 1);
  EXPECT_FALSE(token_count_change(map, map));
  auto p = map.parts();
  p.nodes[2].tokens.pop_back();
  const auto change = token_count_change(map, map_of(p));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->node, "n02");
  EXPECT_EQ(change->before, 4U);
  EXPECT_EQ(change->after, 3U);
  EXPECT_FALSE(change->joins);
}

TEST(TokenCount, a_newcomer_takes_as_many_as_its_peers_for_its_weight) {
  const ClusterMap map = random_ring(4, 4, 1);
  auto p = map.parts();
  p.nodes.push_back(node_at("n9", {1, 2, 3, 4}, "r1", "dc1"));
  EXPECT_FALSE(token_count_change(map, map_of(p)));
  p.nodes.back().tokens.push_back({5});
  ASSERT_TRUE(token_count_change(map, map_of(p)));
  EXPECT_TRUE(token_count_change(map, map_of(p))->joins);
  p.nodes.back().weight = 1.25;
  EXPECT_FALSE(token_count_change(map, map_of(p)));
}

TEST(TokenCount, a_new_data_center_and_a_mixed_one_may_have_any_number) {
  const ClusterMap map = random_ring(4, 4, 1);
  auto p = map.parts();
  p.nodes.push_back(node_at("n9", {1, 2}, "r1", "dc2"));
  EXPECT_FALSE(token_count_change(map, map_of(p)));
  p.nodes[0].zone = "dc2";
  const ClusterMap mixed = map_of(p);
  p.nodes.push_back(node_at("n10", {7, 8, 9}, "r1", "dc2"));
  EXPECT_FALSE(token_count_change(mixed, map_of(p))) << "peers of four and of two tokens";
}

TEST(TokenCount, other_systems_change_it_as_they_like) {
  auto p = equal_arcs(4, 3).parts();
  const ClusterMap map = map_of(p);
  p.nodes[1].tokens.push_back({7});
  EXPECT_FALSE(token_count_change(map, map_of(p)));
}

}  // namespace
}  // namespace arcwise
