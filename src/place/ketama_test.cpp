#include "place/ketama.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "place/testing.hpp"

namespace arcwise {
namespace {

// Server counts up to 120 at which single precision gives 39 digests instead of 40 (measured on the real
// programs).
TEST(ketama, single_precision_loses_a_digest_at_known_server_counts) {
  const std::vector<std::uint32_t> lossy{25, 47, 50, 55, 61, 71, 94, 100, 107, 109, 110, 115};
  for (std::uint32_t n = 1; n <= 115; ++n)
    EXPECT_EQ(ketama_digests(1, n, n), std::count(lossy.begin(), lossy.end(), n) ? 39u : 40u) << n;
}

TEST(ketama, small_weights_round_to_no_point) {
  EXPECT_EQ(ketama_digests(1, 81, 2), 0u);
  EXPECT_EQ(ketama_digests(80, 81, 2), 79u);
  EXPECT_EQ(ketama_digests(1024, 2053, 3), 59u);
  EXPECT_EQ(ketama_digests(5, 2053, 3), 0u);
}

// 10.20.0.29:11212 and 10.20.1.0:11212 share point 497387493.
TEST(ketama, colliding_points_belong_to_the_server_earlier_in_name_order) {
  const auto map = testing::map_of(testing::parts(
      "twemproxy-ketama", {testing::node("10.20.0.29:11212"), testing::node("10.20.1.0:11212")}));
  const Placement p = compile(map);
  EXPECT_EQ(p.entry_count(), 320u);
  EXPECT_EQ(p.region_count(), 319u);
  // Name order is length first: "10.20.1.0:11212" is shorter.
  EXPECT_EQ(testing::owner_names(p, {497387493}).at(0), "10.20.1.0:11212");
}

TEST(key_position, hash_tags_follow_the_first_pair_only) {
  struct Row {
    const char *key, *tagged;
  };
  for (const Row& r :
       {Row{"user:{123}:profile", "123"}, Row{"foo{}{bar}", "foo{}{bar}"}, Row{"foo{{bar}}zap", "{bar"},
        Row{"foo{bar}{zap}", "bar"}, Row{"{abc", "{abc"}, Row{"", ""}, Row{"}{a}", "a"}}) {
    const auto map = testing::parts("redis-cluster", {testing::node("m")});
    auto p = map;
    p.placement.slots = 16384;
    p.placement.table = {{{16383}, {0}}};
    EXPECT_EQ(compile(testing::map_of(p)).routing_key(r.key), r.tagged) << r.key;
  }
}

TEST(key_position, redis_tagged_keys_share_slot_5970) {
  auto p = testing::parts("redis-cluster", {testing::node("m")});
  p.placement.slots = 16384;
  p.placement.table = {{{16383}, {0}}};
  const Placement placement = compile(testing::map_of(p));
  EXPECT_EQ(placement.hash("user:{123}:profile").value, 5970u);
  EXPECT_EQ(placement.hash("user:{123}:account").value, 5970u);
  EXPECT_EQ(placement.hash("").value, 0u);
}

}  // namespace
}  // namespace arcwise
