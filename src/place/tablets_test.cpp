#include "place/tablets.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "place/testing.hpp"

namespace arcwise {
namespace {

TEST(scylladb, the_lowest_token_is_on_the_first_shard_and_the_highest_on_the_last) {
  for (const std::uint32_t shards : {1u, 2u, 7u, 64u})
    for (const std::uint32_t ignore : {0u, 2u, 12u}) {
      EXPECT_EQ(scylladb_shard({0}, shards, ignore), 0u);
      EXPECT_EQ(scylladb_shard({~std::uint64_t{0}}, shards, ignore), shards - 1);
    }
}

TEST(scylladb, a_map_says_the_shard_beside_the_owner) {
  auto p = testing::parts("scylladb-murmur3", {testing::node_at("a", {7})});
  p.placement.settings = {{"shards", "8"}, {"ignore_msb", "0"}};
  const ClusterMap map = testing::map_of(p);
  EXPECT_EQ(scylladb_shard(map, {u128{3} << 61}), 3u);
  EXPECT_EQ(scylladb_shard(testing::given_ring({testing::node_at("a", {7})}), {0}), std::nullopt);
}

RC_GTEST_PROP(scylladb, ignored_bits_do_not_change_the_shard, (std::uint64_t token)) {
  const auto ignore = *rc::gen::inRange(0u, 32u);
  const auto shards = *rc::gen::inRange(2u, 256u);
  const std::uint64_t other = token ^ (ignore ? ~std::uint64_t{0} << (64 - ignore) : 0);
  RC_ASSERT(scylladb_shard({token}, shards, ignore) == scylladb_shard({other}, shards, ignore));
}

RC_GTEST_PROP(scylladb, tablets_are_of_equal_size_and_end_at_the_top, ()) {
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const std::vector<Token> last = scylladb_tablets(count);
  RC_ASSERT(last.size() == count);
  RC_ASSERT(last.back().value == ~std::uint64_t{0});
  for (std::size_t i = 1; i < count; ++i) {
    const auto size = static_cast<std::uint64_t>(last[i].value - last[i - 1].value);
    const std::uint64_t even = ~std::uint64_t{0} / count;
    RC_ASSERT(size >= even && size <= even + 1);
  }
}

}  // namespace
}  // namespace arcwise
