#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "arcwise/keys.hpp"
#include "model/long_testing.hpp"
#include "study/risk_maps.hpp"

namespace arcwise {
namespace {

RC_GTEST_PROP(KeySpread, shares_sum_to_one_and_causes_multiply_to_the_ratio, ()) {
  // Where owners are drawn for each key, shares are those of many keys.
  static std::size_t tried = 0;
  if (tried++ % testing::every(3) != 0) return;
  const auto names = {"ring",         "twemproxy-ketama", "haproxy-consistent",
                      "mcrouter-ch3", "modulo",           "envoy-maglev"};
  const std::string recipe = *rc::gen::elementOf(std::vector<std::string>(names.begin(), names.end()));
  std::vector<Node> nodes;
  const auto count = *rc::gen::inRange<std::size_t>(2, 8);
  for (std::size_t i = 0; i < count; ++i)
    nodes.push_back(testing::node("10.0.0." + std::to_string(i), *rc::gen::inRange(1, 4)));
  auto parts = testing::parts(recipe, std::move(nodes));
  if (recipe == "envoy-maglev") parts.placement.settings["table_size"] = "1009";
  auto keys = *rc::gen::container<std::vector<std::string>>(rc::gen::string<std::string>());
  keys.push_back("k");
  const Placement placement = testing::placed(parts);
  KeyTally tally(placement);
  for (const std::string& key : keys) tally.add(key);
  const KeySpread spread = tally.spread();
  double share = 0, target = 0, hash = 0;
  std::uint64_t total = 0;
  for (const auto& node : spread.nodes)
    share += node.share, target += node.target, hash += node.hash_share, total += node.keys;
  RC_ASSERT(std::abs(share - 1) < 1e-9 && std::abs(target - 1) < 1e-9 && std::abs(hash - 1) < 1e-9);
  RC_ASSERT(total == keys.size());
  const auto& f = spread.factors;
  const double product = f.weights * f.arcs * f.hash_pattern * f.hot_keys;
  RC_ASSERT(std::abs(product - spread.nodes[spread.fullest].ratio()) < 1e-6);
}

}  // namespace
}  // namespace arcwise
