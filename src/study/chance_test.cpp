#include <gtest/gtest.h>

#include "arcwise/ownership.hpp"
#include "arcwise/simulate.hpp"
#include "study/ownership_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

TEST(Chance, without_replicas_is_the_simulation_of_equal_nodes) {
  const auto chance = by_chance(compile(hashed_ring(nodes(10), 16)), 5);
  ASSERT_TRUE(chance);
  EXPECT_EQ(chance->seed, 5u);
  EXPECT_EQ(chance->trials, 400u);
  const BalanceSimulation s = simulate_balance(10, 16, 400, 5);  // the same draws
  EXPECT_NEAR(chance->median, s.max_over_mean_mean, 0.05);
  EXPECT_GT(chance->p99, s.max_over_mean_p95);
  EXPECT_NEAR(chance->stddev_median, s.stddev_over_mean_mean, 0.02);
}

TEST(Chance, has_nothing_to_say_where_tokens_do_not_make_the_shares) {
  EXPECT_FALSE(by_chance(compile(modulo(5)), 1));
  EXPECT_FALSE(by_chance(compile(table(nodes(1), {{{~std::uint64_t{0}}, {0}}})), 1));
  EXPECT_TRUE(by_chance(compile(equal_arcs(5)), 1));
  EXPECT_TRUE(by_chance(compile(map_of(parts("twemproxy-ketama", nodes(3)))), 1));
}

TEST(Chance, of_given_tokens_depends_on_their_number_not_their_place) {
  std::vector<Node> crowded = nodes(6);
  for (std::uint64_t i = 0; i < 6; ++i) crowded[i].tokens = {{i}};
  const auto even = by_chance(compile(equal_arcs(6)), 3);
  const auto uneven = by_chance(compile(given_ring(crowded)), 3);
  EXPECT_EQ(even->median, uneven->median);
  EXPECT_EQ(even->p99, uneven->p99);
}

TEST(Chance, is_certain_where_every_node_holds_everything) {
  const auto chance = by_chance(compile(hashed_ring(nodes(3), 4, 3)), 1);
  EXPECT_EQ(chance->median, 1.0);
  EXPECT_EQ(chance->p99, 1.0);
  EXPECT_EQ(chance->stddev_median, 0.0);
}

TEST(Chance, same_seed_gives_the_same_answer) {
  const Placement placement = compile(hashed_ring(nodes(20), 8, 3));
  EXPECT_EQ(by_chance(placement, 9)->p99, by_chance(placement, 9)->p99);
  EXPECT_NE(by_chance(placement, 9)->p99, by_chance(placement, 10)->p99);
}

TEST(Chance, tries_fewer_rings_when_they_are_large) {
  const auto trials = by_chance(compile(hashed_ring(nodes(100), 512, 3)), 1)->trials;
  EXPECT_LT(trials, 400u);
  EXPECT_GE(trials, 100u);
}

// A ring hashed from names is a random ring, whatever the weights, racks and repeats: over 60 of them the
// largest ratio is below the median about half the time, and above the 99th percentile hardly ever.
void expect_hashed_rings_are_typical(ClusterMap::Parts p) {
  const auto chance = by_chance(compile(map_of(p)), 1);
  int below_median = 0, beyond = 0;
  for (int ring = 0; ring < 60; ++ring) {
    for (std::size_t n = 0; n < p.nodes.size(); ++n)
      p.nodes[n].name = numbered("ring" + std::to_string(ring) + "-", n);
    const double most = ownership(compile(map_of(p))).balance.max_over_target;
    below_median += most <= chance->median;
    beyond += most > chance->p99;
  }
  EXPECT_GE(below_median, 18);
  EXPECT_LE(below_median, 42);
  EXPECT_LE(beyond, 4);
}

TEST(Chance, hashed_rings_are_typical_of_chance) {
  expect_hashed_rings_are_typical(parts("ring", nodes(12), 3));
  std::vector<Node> list = nodes(12);
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i].weight = i % 3 == 0 ? 3 : 1;
    list[i].rack = "r" + std::to_string(i % 2);
    list[i].zone = "z" + std::to_string(i % 4);
  }
  expect_hashed_rings_are_typical(parts("ring", list, 2, Across::rack, 8));
  auto short_of_racks = parts("ring", list, 3, Across::rack, 8);
  for (Node& n : short_of_racks.nodes) n.zone.clear();
  short_of_racks.replicas.when_short = WhenShort::repeat;
  expect_hashed_rings_are_typical(short_of_racks);
  auto zones = parts("ring", list, 1, Across::node, 8);
  zones.replicas.per_zone = {{"z0", 2}, {"z1", 1}};
  expect_hashed_rings_are_typical(zones);
}

}  // namespace
}  // namespace arcwise
