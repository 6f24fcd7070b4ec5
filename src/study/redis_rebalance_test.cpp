// Slots handed out anew beside the rule of `redis-cli --cluster rebalance`, on random clusters. A test on a
// live cluster, tests/real_redis_cluster_test.py, asks the program itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "arcwise/change.hpp"
#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

constexpr int slots = 16384;

struct Outcome {
  int moved = 0;
  std::vector<int> held;
};

// Shares in single precision, rounded down; what is left goes in rounds to those that have no more than their
// share; then the fullest give to the emptiest.
Outcome redis_cli(const std::vector<int>& held, const std::vector<float>& weights) {
  float total = 0;
  for (float w : weights) total += w;
  std::vector<int> balance;
  int sum = 0;
  for (std::size_t n = 0; n < held.size(); ++n) {
    balance.push_back(held[n] - static_cast<int>(static_cast<float>(slots) / total * weights[n]));
    sum += balance.back();
  }
  while (sum > 0)
    for (std::size_t n = 0; n < held.size() && sum > 0; ++n)
      if (balance[n] <= 0) {
        --balance[n];
        --sum;
      }
  Outcome out{0, held};
  for (std::size_t n = 0; n < held.size(); ++n) {
    out.held[n] -= balance[n];
    if (balance[n] > 0) out.moved += balance[n];
  }
  return out;
}

// Slots beyond the share by weight, rounded either way; of equal weights the largest number less the
// smallest.
int uneven(const std::vector<int>& held, const std::vector<float>& weights) {
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  const auto [fewest, fullest] = std::minmax_element(held.begin(), held.end());
  if (*least == *most) return *fullest - *fewest;
  double total = 0;
  for (float w : weights) total += static_cast<double>(w);
  int out = 0;
  for (std::size_t n = 0; n < held.size(); ++n) {
    const double share = slots * static_cast<double>(weights[n]) / total;
    out = std::max({out, static_cast<int>(std::floor(share + 1e-6)) - held[n],
                    held[n] - static_cast<int>(std::ceil(share - 1e-6))});
  }
  return out;
}

ClusterMap random_cluster(Rng& rng, std::size_t masters, std::uint64_t pieces) {
  auto parts = testing::parts("redis-cluster", testing::nodes(masters));
  parts.placement.slots = slots;
  std::vector<std::uint64_t> ends{slots - 1};
  for (NodeIndex n = 0; n < masters + pieces; ++n) ends.push_back(rng.below(slots));
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (std::size_t i = 0; i < ends.size(); ++i)
    parts.placement.table.push_back(
        {{ends[i]}, {static_cast<NodeIndex>(i < masters ? i : rng.below(masters))}});
  return testing::map_of(std::move(parts));
}

std::vector<int> held_by(const ClusterMap& map) {
  std::vector<int> out(map.nodes().size(), 0);
  int from = 0;
  for (const TableRow& row : map.placement().table) {
    out[row.owners.front()] += static_cast<int>(row.upto.value) + 1 - from;
    from = static_cast<int>(row.upto.value) + 1;
  }
  return out;
}

TEST(RedisRebalance, is_never_better_in_slots_moved_and_evenness_and_often_worse) {
  Rng rng(11);
  int better = 0, fewer_ranges = 0;
  for (int i = 0; i < 16; ++i) {
    const std::size_t masters = 3 + rng.below(6);
    const ClusterMap before = random_cluster(rng, masters, i % 2 ? 300 : 0);
    const bool weighted = rng.below(2) == 0;
    Change change;
    change.parts.rebalance = true;
    std::vector<float> weights;
    for (std::size_t n = 0; n < masters; ++n) {
      weights.push_back(weighted ? static_cast<float>(1 + rng.below(40)) / 8 : 1);
      if (weighted) change.weight.emplace_back(before.nodes()[n].name, static_cast<double>(weights[n]));
    }
    std::vector<Finding> notes;
    const auto after = apply(before, change, notes);
    ASSERT_TRUE(after.ok()) << to_string(after.error());
    const int moved =
        static_cast<int>(std::round(diff(compile(before), compile(*after), 1).moved.value() * slots));
    const Outcome theirs = redis_cli(held_by(before), weights);
    const int mine_uneven = uneven(held_by(*after), weights), their_uneven = uneven(theirs.held, weights);
    EXPECT_LE(mine_uneven, weighted ? 0 : 1);
    ASSERT_TRUE(moved < theirs.moved || mine_uneven < their_uneven ||
                (moved == theirs.moved && mine_uneven == their_uneven))
        << "cluster " << i;
    better += moved <= theirs.moved && mine_uneven <= their_uneven &&
              (moved < theirs.moved || mine_uneven < their_uneven);
    fewer_ranges += after->placement().table.size() < before.placement().table.size();
  }
  EXPECT_GT(better, 8);
  EXPECT_GE(fewer_ranges, 8) << "every cluster in hundreds of pieces";
}

}  // namespace
}  // namespace arcwise
