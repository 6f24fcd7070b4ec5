#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "arcwise/check.hpp"
#include "study/risk_maps.hpp"

namespace arcwise {
namespace {

RC_GTEST_PROP(Explain, ends_with_the_owners_that_a_lookup_gives, (const std::string& key)) {
  auto parts = testing::ring_parts(9, 8, 3);
  for (std::size_t i = 0; i < 9; ++i) parts.nodes[i].rack = "r" + std::to_string(i % 4);
  parts.replicas.across = *rc::gen::element(Across::node, Across::rack);
  const Placement p = testing::placed(parts);
  NodeSet down(9);
  for (NodeIndex n : *rc::gen::container<std::vector<NodeIndex>>(2, rc::gen::inRange<NodeIndex>(0, 9)))
    down.insert(n);
  const NodeMask mask(down);

  const Explanation e = explain(p, key, mask);
  std::vector<NodeIndex> owners(3);
  owners.resize(p.owners({key, p.hash(key), mask}, owners));
  RC_ASSERT(e.owners == owners);
  RC_ASSERT(e.hash == p.hash(key));
  RC_ASSERT(e.region == p.region(p.region_at(e.hash)));
  for (const auto& candidate : e.candidates) {
    const bool taken = candidate.verdict == Verdict::taken || candidate.verdict == Verdict::taken_repeat;
    RC_ASSERT((candidate.verdict == Verdict::masked) == down.contains(candidate.node));
    if (taken) RC_ASSERT(std::count(owners.begin(), owners.end(), candidate.node) == 1);
  }
}

TEST(Explain, walks_a_ring_of_a_hundred_positions_step_by_step) {
  // 35 -> b, 60 -> c, 85 -> d, 10 -> a over 0…99, scaled to 64 bits: hash positions in (10, 35] go to b
  // first.
  auto parts = testing::ring_parts(4, 1, 2);
  parts.placement.given = true;
  const u128 unit = (u128{1} << 64) / 100;
  const unsigned at[] = {10, 35, 60, 85};
  for (std::size_t i = 0; i < 4; ++i) parts.nodes[i].tokens = {{unit * at[i]}};
  const Placement p = testing::placed(parts);
  for (int i = 0; i < 50; ++i) {
    const std::string key = "key" + std::to_string(i);
    const Explanation e = explain(p, key, {});
    ASSERT_EQ(e.candidates.size(), 2u);
    EXPECT_EQ(e.candidates[0].token, e.region.upto);
    EXPECT_EQ(e.candidates[1].node, (e.candidates[0].node + 1) % 4);
    EXPECT_EQ(e.key, key);
    EXPECT_EQ(e.routing_key, key);
  }
}

TEST(Explain, hashes_what_stands_in_the_hash_tag) {
  const Placement p = testing::placed(testing::table_parts("redis-cluster", 3, {{0}, {1}, {2}}));
  const Explanation e = explain(p, "user:{123}:profile", {});
  EXPECT_EQ(e.routing_key, "123");
  EXPECT_EQ(static_cast<std::uint64_t>(e.hash.value), 5970u);
  EXPECT_EQ(explain(p, "user:{123}:account", {}).hash, e.hash);
  EXPECT_EQ(e.owners, (std::vector<NodeIndex>{1}));
}

TEST(Explain, says_that_a_repeated_rack_is_a_repeat) {
  auto parts = testing::ring_parts(4, 8, 3);
  parts.replicas.across = Across::rack;
  parts.replicas.when_short = WhenShort::repeat;
  for (std::size_t i = 0; i < 4; ++i) parts.nodes[i].rack = i < 2 ? "r1" : "r2";
  const Explanation e = explain(testing::placed(parts), "cart:1", {});
  EXPECT_EQ(e.owners.size(), 3u);
  EXPECT_EQ(std::count_if(e.candidates.begin(), e.candidates.end(),
                          [](const auto& c) { return c.verdict == Verdict::taken_repeat; }),
            1);
}

}  // namespace
}  // namespace arcwise
