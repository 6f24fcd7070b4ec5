#include "router/cascade.hpp"

#include <gtest/gtest.h>

#include "place/testing.hpp"

namespace arcwise::router {
namespace {

using std::chrono::seconds;

// Six nodes with one token each: every key of one goes to the node behind it.
Placement circle() {
  std::vector<Node> nodes;
  for (std::uint64_t i = 0; i < 6; ++i)
    nodes.push_back(testing::node_at(std::string(1, static_cast<char>('a' + i)), {i << 61}));
  return compile(testing::given_ring(nodes));
}

TEST(cascade, servers_that_fail_in_the_order_of_the_circle_are_one) {
  const Placement ring = circle();
  Cascade cascade;
  EXPECT_TRUE(cascade.failed(ring, 1, {}, seconds(0)).empty());
  EXPECT_TRUE(cascade.failed(ring, 2, {}, seconds(5)).empty());
  EXPECT_EQ(cascade.failed(ring, 3, {}, seconds(9)), (std::vector<NodeIndex>{1, 2, 3}));
  EXPECT_EQ(cascade.failed(ring, 4, {}, seconds(12)), (std::vector<NodeIndex>{1, 2, 3, 4}));
}

TEST(cascade, another_order_or_a_long_time_between_is_none) {
  const Placement ring = circle();
  Cascade cascade;
  for (const NodeIndex node : {5u, 3u, 1u}) EXPECT_TRUE(cascade.failed(ring, node, {}, seconds(0)).empty());
  Cascade slow;
  for (const NodeIndex node : {1u, 2u, 3u})
    EXPECT_TRUE(slow.failed(ring, node, {}, seconds(61 * node)).empty());
}

TEST(cascade, one_server_that_fails_again_and_again_is_none) {
  const Placement ring = circle();
  Cascade cascade;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(cascade.failed(ring, 1, {}, seconds(i)).empty());
    EXPECT_TRUE(cascade.failed(ring, 2, {}, seconds(i)).empty());
  }
}

Placement many_tokens(int nodes) {
  std::vector<Node> all;
  for (int i = 0; i < nodes; ++i) all.push_back(testing::node("n" + std::to_string(i)));
  return compile(testing::map_of(testing::parts("ring", all, 1, Across::node, 64)));
}

// A switch takes half a cluster away: nobody fell for what another had left to it. To look for an order among
// all of them would take the loop's time from clients: 195 of 200 took 18 s.
TEST(cascade, those_that_fail_together_are_none) {
  Cascade cascade;
  const Placement wide = many_tokens(200);
  for (NodeIndex node = 0; node < 195; ++node)
    EXPECT_TRUE(cascade.failed(wide, node, {}, std::chrono::milliseconds(node)).empty()) << node;
}

// With many nodes and tokens one has a key or two of any other's sample.
TEST(cascade, a_part_that_chance_brings_about_is_not_large) {
  Cascade cascade;
  const Placement wide = many_tokens(60);
  for (NodeIndex node = 0; node < 20; ++node)
    EXPECT_TRUE(cascade.failed(wide, node, {}, seconds(2 * node)).empty()) << node;
}

TEST(cascade, next_shares_are_those_of_the_ring) {
  EXPECT_EQ(next_share(circle(), 1, 2), 1);
  EXPECT_EQ(next_share(circle(), 1, 3), 0);
  std::vector<Node> nodes;
  for (int i = 0; i < 5; ++i) nodes.push_back(testing::node("n" + std::to_string(i)));
  const Placement vnodes = compile(testing::map_of(testing::parts("ring", nodes, 1, Across::node, 256)));
  double sum = 0;
  for (NodeIndex to = 1; to < 5; ++to) sum += next_share(vnodes, 0, to);
  EXPECT_NEAR(sum, 1, 1e-9);
}

}  // namespace
}  // namespace arcwise::router
