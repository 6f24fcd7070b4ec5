#include "study/probe_shares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "arcwise/simulate.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

TEST(ProbeShares, of_one_probe_are_the_arcs_and_of_two_as_by_hand) {
  const std::vector<double> arcs{0.5, 0.125, 0.375};
  EXPECT_EQ(probe_shares(arcs, 1), arcs);
  EXPECT_EQ(probe_shares({0.75, 0.25}, 2), (std::vector<double>{0.625, 0.375}));
}

// Sampled: 100,000 keys over a map's own tokens, one probe position each from a hash of the key's.
TEST(ProbeShares, are_those_of_the_placement) {
  std::vector<Node> nodes;
  for (int i = 0; i < 6; ++i) nodes.push_back(testing::node("p" + std::to_string(i)));
  const ClusterMap ring = testing::map_of(testing::parts("ring", nodes, 1, Across::node, 1));
  const Placement tokens = compile(ring);
  std::vector<double> arcs(6), got(6);
  for (std::size_t r = 0; r < tokens.region_count(); ++r)
    arcs[tokens.entry(r).node] = share_of(ring.domain(), tokens.region(r)).value();
  const Placement probed = compile(testing::map_of(testing::parts("multi-probe", nodes, 1, Across::node, 1)));
  for (int k = 0; k < 100'000; ++k) {
    const std::string key = "key:" + std::to_string(k);
    NodeIndex owner = no_node;
    ASSERT_EQ(probed.owners({key, probed.hash(key), {}}, {&owner, 1}), 1u);
    got[owner] += 1e-5;
  }
  const std::vector<double> want = probe_shares(arcs, 21);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(got[i], want[i], 0.006) << i;
}

TEST(ProbeShares, bound_the_largest_of_100_nodes_and_not_the_smallest) {
  const BalanceSimulation s = simulate_balance(100, 1, 200, 1, 21);
  EXPECT_LE(s.max_over_mean_p95, 1.10);
  EXPECT_EQ(s.max_formula, 1 + 1.0 / 20);
  EXPECT_LT(s.min_over_mean_mean, 0.3);
  ASSERT_EQ(s.min_over_mean.size(), 200u);
  EXPECT_TRUE(std::is_sorted(s.min_over_mean.begin(), s.min_over_mean.end()));
  EXPECT_NEAR(std::accumulate(s.min_over_mean.begin(), s.min_over_mean.end(), 0.0) / 200,
              s.min_over_mean_mean, 1e-12);
}

}  // namespace
}  // namespace arcwise
