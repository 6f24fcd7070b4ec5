#include "arcwise/keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "study/check_testing.hpp"
#include "study/sample_keys.hpp"

namespace arcwise {
namespace {

KeySpread spread_of(const Placement& placement, const std::vector<std::string>& keys) {
  KeyTally tally(placement);
  for (const std::string& key : keys) tally.add(key);
  return tally.spread();
}

std::vector<std::string> numbered(const std::string& stem, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(stem + std::to_string(i));
  return out;
}

std::vector<std::string> random_keys(std::size_t count) {
  SampleKeys keys(1);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.emplace_back(keys.next());
  return out;
}

std::vector<std::string> rules(const ClusterMap::Parts& parts, const std::vector<std::string>& keys) {
  const Placement placement = testing::placed(parts);
  const KeySpread spread = spread_of(placement, keys);
  CheckOptions options;
  options.keys = &spread;
  std::vector<std::string> out;
  for (const Finding& f : check(placement, testing::unseen, options).findings)
    if (f.rule.starts_with("keys-")) out.push_back(f.rule);
  return out;
}

ClusterMap::Parts twemproxy(KeyHashId hash) {
  std::vector<Node> nodes;
  for (int i = 1; i <= 5; ++i) nodes.push_back(testing::node("127.0.1.1" + std::to_string(i) + ":11211"));
  auto parts = testing::parts("twemproxy-ketama", std::move(nodes));
  parts.placement.hash = hash;
  return parts;
}

using Rules = std::vector<std::string>;

// The counts are those of nutcracker 0.5.0.
TEST(KeySpread, bal02_the_hash_matters_more_than_the_ring) {
  struct Row {
    KeyHashId hash;
    std::vector<std::uint64_t> counts;
    Rules rules;
  };
  const Row rows[] = {{KeyHashId::fnv1a_64_low32, {70, 90, 130, 200, 510}, {"keys-hash-pattern"}},
                      {KeyHashId::fnv1_64_low32, {0, 0, 0, 100, 900}, {"keys-hash-pattern"}},
                      {KeyHashId::md5_ketama, {}, {}},
                      {KeyHashId::crc32_15bit, {0, 0, 0, 0, 1000}, {"keys-arcs"}}};
  for (const Row& row : rows) {
    const auto parts = twemproxy(row.hash);
    const KeySpread spread = spread_of(testing::placed(parts), numbered("user:", 1000));
    std::vector<std::uint64_t> counts;
    for (const auto& node : spread.nodes) counts.push_back(node.keys);
    std::sort(counts.begin(), counts.end());
    if (row.counts.empty())
      EXPECT_TRUE(counts.front() >= 180 && counts.back() <= 220) << counts.front() << " " << counts.back();
    else
      EXPECT_EQ(counts, row.counts) << info(row.hash).name;
    EXPECT_EQ(rules(parts, numbered("user:", 1000)), row.rules) << info(row.hash).name;
  }
}

TEST(KeySpread, bal01_neighbouring_keys_in_one_arc) {
  std::vector<Node> nodes{testing::node("127.0.0.1:11212"), testing::node("127.0.0.1:11213")};
  auto parts = testing::parts("twemproxy-ketama", std::move(nodes));
  parts.placement.hash = KeyHashId::fnv1a_64_low32;
  const KeySpread spread = spread_of(testing::placed(parts), {"a", "b", "c", "d", "e", "f", "g", "h"});
  EXPECT_EQ(spread.nodes[0].keys, 8u);
  // So few keys prove little: both are said.
  EXPECT_EQ(rules(parts, {"a", "b", "c", "d", "e", "f", "g", "h"}), Rules{"keys-few"});
}

TEST(KeysArcs, few_tokens_have_long_arcs_and_many_do_not) {
  EXPECT_EQ(rules(testing::ring_parts(5, 1, 1), random_keys(20'000)), Rules{"keys-arcs"});
  EXPECT_EQ(rules(testing::ring_parts(5, 1024, 1), random_keys(20'000)), Rules{});
}

TEST(KeysWeights, weights_that_nobody_reads) {
  auto parts = testing::parts("libmemcached-modula", {testing::node("a", 1), testing::node("b", 4)});
  EXPECT_EQ(rules(parts, random_keys(20'000)), Rules{"keys-weights"});
  parts.nodes[1].weight = 1;
  EXPECT_EQ(rules(parts, random_keys(20'000)), Rules{});
}

TEST(KeysHot, one_key_in_three_and_one_in_a_hundred) {
  const auto with_hot = [](std::size_t count) {
    auto keys = random_keys(10'000);
    keys.insert(keys.end(), count, "hot");
    return keys;
  };
  const auto parts = testing::ring_parts(5, 1024, 1);
  EXPECT_EQ(rules(parts, with_hot(5000)), Rules{"keys-hot"});
  EXPECT_EQ(rules(parts, with_hot(100)), Rules{});
  const KeySpread spread = spread_of(testing::placed(parts), with_hot(5000));
  ASSERT_EQ(spread.hottest.size(), 1u);
  EXPECT_EQ(spread.hottest[0].key, "hot");
  EXPECT_EQ(spread.hottest[0].count, 5000u);
  EXPECT_EQ(spread.hottest[0].node, spread.fullest);
}

TEST(KeysHot, keys_that_all_occur_alike_are_not_hot) {
  auto keys = random_keys(2000);
  const auto once = keys;
  for (int i = 0; i < 9; ++i) keys.insert(keys.end(), once.begin(), once.end());
  EXPECT_EQ(rules(testing::ring_parts(5, 1024, 1), keys), Rules{});
  EXPECT_EQ(spread_of(testing::placed(testing::ring_parts(5, 1024, 1)), keys).distinct, 2000u);
}

TEST(KeysFew, a_hundred_keys_a_node_tell_causes_from_chance) {
  EXPECT_EQ(rules(testing::ring_parts(5, 1024, 1), random_keys(100)), Rules{"keys-few"});
}

TEST(KeySpread, more_distinct_keys_than_are_kept_are_estimated_and_a_frequent_one_is_not_lost) {
  const Placement placement = testing::placed(testing::ring_parts(5, 256, 1));
  KeyTally tally(placement);
  constexpr std::size_t count = 600'000;
  for (std::size_t i = 0; i < count; ++i) {
    tally.add("k" + std::to_string(i));
    if (i % 10 == 0) tally.add("often");
  }
  const KeySpread spread = tally.spread();
  EXPECT_TRUE(spread.sampled);
  EXPECT_NEAR(static_cast<double>(spread.distinct), count, 0.02 * count);
  EXPECT_EQ(spread.keys, count + count / 10);
  ASSERT_FALSE(spread.hottest.empty());
  EXPECT_EQ(spread.hottest[0].key, "often");
  EXPECT_NEAR(static_cast<double>(spread.hottest[0].count), count / 10.0, count * 1.1 / 4096);
  for (const auto& node : spread.nodes) EXPECT_NEAR(node.distinct_share, node.hash_share, 0.01);
}

}  // namespace
}  // namespace arcwise
