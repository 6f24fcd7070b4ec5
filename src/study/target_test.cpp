#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "arcwise/ownership.hpp"
#include "study/ownership_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

auto near(double v) {
  return DoubleNear(v, 1e-12);
}

ClusterMap weighted(const std::vector<double>& weights, std::uint32_t replicas) {
  std::vector<Node> list = nodes(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) list[i].weight = weights[i];
  return hashed_ring(list, 4, replicas);
}

TEST(Target, follows_weights) {
  EXPECT_THAT(target_shares(weighted({1, 3}, 1), 1), ElementsAre(near(0.25), near(0.75)));
  EXPECT_THAT(target_shares(weighted({1, 1, 2}, 2), 2), ElementsAre(near(0.5), near(0.5), near(1)));
}

TEST(Target, weights_that_are_all_zero_entitle_all_alike) {
  auto p = parts("libmemcached-ketama-weighted", nodes(4));
  for (Node& n : p.nodes) n.weight = 0;
  EXPECT_THAT(target_shares(map_of(std::move(p)), 1),
              ElementsAre(near(0.25), near(0.25), near(0.25), near(0.25)));
}

TEST(Target, never_exceeds_one_copy_and_spreads_the_excess_again_and_again) {
  // 2 copies by 1:1:6: the heavy one would get 1.5.
  EXPECT_THAT(target_shares(weighted({1, 1, 6}, 2), 2), ElementsAre(near(0.5), near(0.5), near(1)));
  // 3 copies by 1:2:8:9: 9 is capped (1.35), then 8 of what is left (16/11); the last copy goes 1:2.
  EXPECT_THAT(target_shares(weighted({1, 2, 8, 9}, 3), 3),
              ElementsAre(near(1.0 / 3), near(2.0 / 3), near(1), near(1)));
  EXPECT_THAT(target_shares(weighted({1, 100}, 2), 2), ElementsAre(near(1), near(1)));
}

TEST(Target, each_rack_holds_one_copy_where_racks_equal_replicas) {
  std::vector<Node> list{node("a", 1, "r1"), node("b", 1, "r2"), node("c", 3, "r2"), node("d", 1, "r3"),
                         node("e", 1, "r3")};
  EXPECT_THAT(target_shares(hashed_ring(list, 4, 3, Across::rack), 3),
              ElementsAre(near(1), near(0.25), near(0.75), near(0.5), near(0.5)));
  // A fourth rack: now a rack can go without, and weights of the whole fleet count.
  list.push_back(node("f", 1, "r4"));
  EXPECT_THAT(target_shares(hashed_ring(list, 4, 3, Across::rack), 3),
              ElementsAre(near(0.4), near(0.4), near(1), near(0.4), near(0.4), near(0.4)));
}

TEST(Target, racks_of_the_same_name_in_two_zones_are_two_racks) {
  std::vector<Node> list{node("a", 1, "r1", "z1"), node("b", 1, "r1", "z2"), node("c", 1, "r1", "z2")};
  EXPECT_THAT(target_shares(hashed_ring(list, 4, 2, Across::rack), 2),
              ElementsAre(near(1), near(0.5), near(0.5)));
}

TEST(Target, each_zone_spreads_its_own_count) {
  std::vector<Node> list{node("a", 1, "r1", "eu"), node("b", 3, "r2", "eu"), node("c", 1, "r1", "us"),
                         node("d", 1, "r2", "us"), node("e", 2, "r2", "us"), node("f", 1, "r1", "asia")};
  auto p = parts("ring", list);
  p.replicas.per_zone = {{"eu", 1}, {"us", 2}};
  EXPECT_THAT(target_shares(map_of(p), 3),
              ElementsAre(near(0.25), near(0.75), near(0.5), near(0.5), near(1), near(0)));
  // us has two racks and two copies: one in each.
  p.replicas.across = Across::rack;
  EXPECT_THAT(target_shares(map_of(p), 3),
              ElementsAre(near(0.25), near(0.75), near(1), near(1.0 / 3), near(2.0 / 3), near(0)));
}

TEST(Target, with_too_few_racks_every_node_may_hold_a_repeat) {
  std::vector<Node> list{node("a", 1, "r1"), node("b", 1, "r1"), node("c", 1, "r2"), node("d", 1, "r2")};
  auto p = parts("ring", list, 3, Across::rack);
  p.replicas.when_short = WhenShort::repeat;
  EXPECT_THAT(target_shares(map_of(p), 3), ElementsAre(near(0.75), near(0.75), near(0.75), near(0.75)));
  p.nodes.pop_back();
  EXPECT_THAT(target_shares(map_of(p), 3), ElementsAre(near(1), near(1), near(1)));
  p.nodes.pop_back();  // two nodes hold two copies, whatever was asked for
  EXPECT_THAT(target_shares(map_of(p), 2), ElementsAre(near(1), near(1)));
}

TEST(Target, masked_and_joining_nodes_are_entitled_to_nothing) {
  std::vector<Node> list = nodes(4);
  list[3].state = NodeState::joining;
  list[2].state = NodeState::leaving;
  const ClusterMap map = hashed_ring(list, 4);
  EXPECT_THAT(target_shares(map, 1), ElementsAre(near(1.0 / 3), near(1.0 / 3), near(1.0 / 3), near(0)));
  NodeSet down(4);
  down.insert(0);
  EXPECT_THAT(target_shares(map, 1, NodeMask(down)), ElementsAre(near(0), near(0.5), near(0.5), near(0)));
}

// With three racks for three copies and one rack down, the other two hold one copy each.
TEST(Target, a_masked_rack_leaves_one_copy_to_each_of_the_others) {
  std::vector<Node> list{node("a", 1, "r1"), node("b", 1, "r2"), node("c", 1, "r2"), node("d", 1, "r3")};
  NodeSet down(4);
  down.insert(3);
  EXPECT_THAT(target_shares(hashed_ring(list, 4, 3, Across::rack), 2, NodeMask(down)),
              ElementsAre(near(1), near(0.5), near(0.5), near(0)));
}

RC_GTEST_PROP(Target, capped_nodes_hold_one_copy_and_the_rest_follow_their_weights, ()) {
  const auto weights =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(rc::gen::element(0.5, 1.0, 3.0, 10.0)));
  const auto replicas = *rc::gen::inRange<std::uint32_t>(
      1, static_cast<std::uint32_t>(std::min<std::size_t>(weights.size(), 8)) + 1);
  const auto target = target_shares(weighted(weights, replicas), replicas);
  double sum = 0, unit = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    sum += target[n];
    if (target[n] < 1 - 1e-9) unit = target[n] / weights[n];
  }
  RC_ASSERT(std::abs(sum - replicas) < 1e-9);
  for (std::size_t n = 0; n < weights.size() && unit > 0; ++n)
    RC_ASSERT(std::abs(target[n] - std::min(1.0, unit * weights[n])) < 1e-9);
}

}  // namespace
}  // namespace arcwise
