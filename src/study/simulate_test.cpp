#include "arcwise/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "study/simulate_ring.hpp"

namespace arcwise {
namespace {

constexpr std::uint64_t seed = 1;

// Expected values: E[largest of N arcs] is H_N/N; the others are the means of large simulations elsewhere.
struct Largest {
  std::uint32_t tokens;
  double low, high;
};

TEST(SimulateBalance, largest_of_100_nodes_falls_from_5_to_1_08_times_the_mean) {
  for (const Largest& row : {Largest{1, 4.85, 5.55},
                             {4, 2.6, 2.8},
                             {16, 1.68, 1.78},
                             {64, 1.31, 1.37},
                             {256, 1.15, 1.18},
                             {1024, 1.07, 1.09}}) {
    // At 1,024 tokens rings hardly differ, and 50 of them are enough.
    const BalanceSimulation s = simulate_balance(100, row.tokens, row.tokens == 1024 ? 50 : 200, seed);
    EXPECT_GE(s.max_over_mean_mean, row.low) << row.tokens;
    EXPECT_LE(s.max_over_mean_mean, row.high) << row.tokens;
    EXPECT_NEAR(s.stddev_over_mean_mean / s.spread_formula, 1, 0.05) << row.tokens;
    if (row.tokens == 256) {
      EXPECT_GE(s.max_over_mean_p95, 1.19);
      EXPECT_LE(s.max_over_mean_p95, 1.25);
    }
    EXPECT_LT(s.min_over_mean_p5, s.min_over_mean_mean);
  }
}

TEST(SimulateBalance, largest_of_10_nodes_falls_from_2_9_to_1_05_times_the_mean) {
  for (const Largest& row : {Largest{1, 2.68, 3.18},
                             {4, 1.79, 1.97},
                             {16, 1.36, 1.48},
                             {64, 1.14, 1.26},
                             {256, 1.03, 1.15},
                             {1024, 0.99, 1.11}}) {
    const BalanceSimulation s = simulate_balance(10, row.tokens, 200, seed);
    EXPECT_GE(s.max_over_mean_mean, row.low) << row.tokens;
    EXPECT_LE(s.max_over_mean_mean, row.high) << row.tokens;
  }
}

TEST(SimulateBalance, relative_spread_is_the_square_root_of_n_minus_1_over_nv_plus_1) {
  for (const auto& [tokens, formula] : {std::pair<std::uint32_t, double>{1, 0.990},
                                        {16, 0.2487},
                                        {64, 0.1244},
                                        {100, 0.0995},
                                        {256, 0.0622}}) {
    const BalanceSimulation s = simulate_balance(100, tokens, 100, seed);
    EXPECT_NEAR(s.spread_formula, formula, 0.0005);
    EXPECT_NEAR(s.stddev_over_mean_mean / s.spread_formula, 1, 0.05) << tokens;
  }
}

// At one token the ratio has no mean and its median needs many trials: 200 of them miss 15 % every fifth
// time.
TEST(SimulateBalance, median_of_largest_over_smallest_of_10_nodes) {
  EXPECT_NEAR(simulate_balance(10, 1, 4000, seed).max_over_min_median / 40.6, 1, 0.15);
  EXPECT_NEAR(simulate_balance(10, 16, 200, seed).max_over_min_median / 2.16, 1, 0.15);
  EXPECT_NEAR(simulate_balance(10, 256, 200, seed).max_over_min_median / 1.21, 1, 0.15);
}

// Exactly 1/N of the mean, for N arcs cut at random.
TEST(SimulateBalance, smallest_of_n_single_arcs_is_a_1_over_n_of_the_mean) {
  EXPECT_NEAR(simulate_balance(10, 1, 4000, seed).min_over_mean_mean, 0.1, 0.01);
  EXPECT_NEAR(simulate_balance(100, 1, 2000, seed).min_over_mean_mean, 0.01, 0.001);
}

TEST(SimulateBalance, formulas_stand_beside_the_figures) {
  const BalanceSimulation one = simulate_balance(100, 1, 1, seed);
  EXPECT_NEAR(one.max_formula, 5.1874, 0.0001);  // H_100
  EXPECT_TRUE(one.max_formula_exact);
  EXPECT_NEAR(simulate_balance(10, 1, 1, seed).max_formula, 2.9290, 0.0001);
  for (const auto& [tokens, formula] :
       {std::pair<std::uint32_t, double>{16, 1.76}, {64, 1.38}, {256, 1.19}, {1024, 1.095}}) {
    const BalanceSimulation s = simulate_balance(100, tokens, 1, seed);
    EXPECT_NEAR(s.max_formula, formula, 0.005);
    EXPECT_FALSE(s.max_formula_exact);
  }
  const BalanceSimulation alone = simulate_balance(1, 8, 3, seed);
  EXPECT_EQ(alone.max_formula, 1.0);
  EXPECT_EQ(alone.max_over_mean_mean, 1.0);
  EXPECT_EQ(alone.stddev_over_mean_mean, 0.0);
}

TEST(Simulate, same_seed_gives_the_same_figures_and_another_seed_others) {
  const BalanceSimulation a = simulate_balance(20, 8, 50, 7);
  EXPECT_EQ(a.max_over_mean_mean, simulate_balance(20, 8, 50, 7).max_over_mean_mean);
  EXPECT_NE(a.max_over_mean_mean, simulate_balance(20, 8, 50, 8).max_over_mean_mean);
  EXPECT_EQ(a.seed, 7u);
  EXPECT_EQ(a.trials, 50u);
  EXPECT_EQ(simulate_join(20, 8, 50, 7).share_p95, simulate_join(20, 8, 50, 7).share_p95);
}

// The joiner's share is Beta(1, 12): above 2/13 with (11/13)^12 = 13.5 %, below 0.1/13 with 1 - (1 -
// 0.1/13)^12 = 8.9 %.
TEST(SimulateJoin, with_one_token_is_a_lottery) {
  const JoinSimulation s = simulate_join(12, 1, 10000, seed);
  EXPECT_NEAR(s.above_twice_fair, 0.135, 0.01);
  EXPECT_NEAR(s.below_tenth_fair, 0.089, 0.01);
  EXPECT_EQ(s.donors_mean, 1.0);
  EXPECT_NEAR(s.share_p5, 13 * (1 - std::pow(0.95, 1.0 / 12)), 0.01);
  EXPECT_NEAR(s.share_p95, 13 * (1 - std::pow(0.05, 1.0 / 12)), 0.1);
  EXPECT_NEAR(s.share_mean, 1, 0.03);
  EXPECT_NEAR(s.moved_share_mean, s.share_mean / 13, 1e-12);
}

TEST(SimulateJoin, with_256_tokens_takes_nearly_its_fair_share_from_everybody) {
  const JoinSimulation s = simulate_join(12, 256, 1000, seed);
  EXPECT_NEAR(s.share_p5, 0.91, 0.02);
  EXPECT_NEAR(s.share_p95, 1.10, 0.02);
  EXPECT_NEAR(s.donors_mean, 12, 0.001);
  EXPECT_EQ(s.above_twice_fair, 0.0);
  EXPECT_EQ(s.below_tenth_fair, 0.0);
}

// Of 99 old nodes, those that give the joiner anything: 1 / 14.8 / 47.3 / 91.7 at 1 / 16 / 64 / 256 tokens.
TEST(SimulateJoin, donors_of_the_hundredth_node_grow_with_tokens) {
  EXPECT_EQ(simulate_join(99, 1, 50, seed).donors_mean, 1.0);
  EXPECT_NEAR(simulate_join(99, 16, 200, seed).donors_mean, 14.8, 0.5);
  EXPECT_NEAR(simulate_join(99, 64, 100, seed).donors_mean, 47.3, 1.5);
  EXPECT_NEAR(simulate_join(99, 256, 30, seed).donors_mean, 91.7, 1.5);
}

TEST(RandomRing, arcs_of_every_node_count_add_up_to_the_circle) {
  Rng rng(3);
  for (std::size_t count : {1u, 2u, 5u, 63u, 64u, 1000u, 5000u}) {
    std::vector<std::uint64_t> tokens(count, 1);
    tokens[count / 2] = 4;
    RandomRing ring(tokens);
    ring.draw(rng);
    ring.draw(rng);
    ASSERT_EQ(ring.size(), count + 3);
    Share sum;
    std::vector<std::uint64_t> seen(count);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      EXPECT_GE(ring.arc(i).units, 0);
      sum += ring.arc(i);
      ++seen[ring.node(i)];
    }
    EXPECT_EQ(sum, Share::whole());
    EXPECT_EQ(seen, tokens);
  }
}

TEST(Quantile, is_the_smallest_value_with_that_many_at_or_below) {
  std::vector<double> hundred(100);
  std::iota(hundred.rbegin(), hundred.rend(), 1.0);
  EXPECT_EQ(quantile(hundred, 0.99), 99.0);
  EXPECT_EQ(quantile(hundred, 0.07), 7.0);
  EXPECT_EQ(quantile(hundred, 0.5), 50.0);
  EXPECT_EQ(quantile(hundred, 0), 1.0);
  EXPECT_EQ(quantile(hundred, 1), 100.0);
  EXPECT_EQ(quantile({4, 2, 9}, 0.5), 4.0);
  EXPECT_EQ(quantile({4}, 0.99), 4.0);
}

}  // namespace
}  // namespace arcwise
