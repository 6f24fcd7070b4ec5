#include "place/partitioners.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hash/des.hpp"
#include "place/testing.hpp"

namespace arcwise {
namespace {

using testing::map_of;
using testing::node;
using testing::parts;

Placement positions(std::string_view recipe, std::uint64_t slots,
                    std::map<std::string, std::string, std::less<>> settings) {
  auto p = parts(recipe, {node("n")});
  p.placement.slots = slots;
  p.placement.settings = std::move(settings);
  if (p.placement.given) p.nodes[0].tokens = {{0}};
  if (!p.placement.given)
    p.placement.table = {
        {{slots ? slots - 1 : TokenSpace::unsigned_bits(p.placement.recipe->ring_bits).last}, {0}}};
  return compile(map_of(std::move(p)));
}

std::string token(const Placement& p, std::string_view key) {
  return to_text(p.map().space(), {p.hash(key).value});
}

TEST(cassandra_keys, a_composite_key_has_the_published_token) {
  const Placement p = positions("cassandra-murmur3", 0, {{"key_format", "int,int"}});
  EXPECT_EQ(token(p, "143:234"), "4958784316840156970");
  EXPECT_TRUE(p.reads("143:234"));
  EXPECT_EQ(p.hashed_bytes("143:234").size(), 14u);
}

TEST(cassandra_keys, text_that_is_no_key_goes_by_its_bytes_and_says_so) {
  const Placement numbers = positions("cassandra-murmur3", 0, {{"key_format", "int"}});
  const Placement plain = positions("cassandra-murmur3", 0, {});
  EXPECT_FALSE(numbers.reads("user:1"));
  EXPECT_TRUE(plain.reads("user:1"));
  EXPECT_EQ(token(numbers, "user:1"), token(plain, "user:1"));
  EXPECT_NE(token(numbers, "1"), token(plain, "1"));
}

TEST(cassandra_keys, the_same_blob_is_the_same_key_as_text) {
  const Placement blob = positions("cassandra-murmur3", 0, {{"key_format", "blob"}});
  EXPECT_EQ(token(blob, "0x313233"), "-7468325962851647638");  // "123"
}

TEST(cassandra_keys, the_empty_key_differs_between_cassandra_and_scylladb) {
  EXPECT_EQ(token(positions("cassandra-murmur3", 0, {}), ""), "-9223372036854775808");
  EXPECT_EQ(token(positions("scylladb-murmur3", 0, {}), ""), "0");
}

// 0…2^127, both ends included: MD5 of "\x1d…" style keys can give either.
TEST(random_partitioner, its_ring_ends_at_two_to_the_127) {
  const Placement p = positions("cassandra-random", 0, {});
  EXPECT_TRUE(p.map().space().last == u128{1} << 127);
  EXPECT_TRUE(from_text(p.map().space(), "170141183460469231731687303715884105728"));
  EXPECT_FALSE(from_text(p.map().space(), "170141183460469231731687303715884105729"));
  EXPECT_FALSE(from_text(p.map().space(), "-1"));
  EXPECT_EQ(token(p, "a"), "16955237001963240173058271559858726497");
}

TEST(elasticsearch, a_partitioned_routing_spreads_its_ids_over_neighbouring_places) {
  const Placement p =
      positions("elasticsearch", 8, {{"routing_partition_size", "3"}, {"routing_num_shards", "8"}});
  const auto start = static_cast<std::uint64_t>(
      positions("elasticsearch", 8, {{"routing_num_shards", "8"}}).hash("tenant").value);
  std::array<int, 3> seen{};
  for (int i = 0; i < 100; ++i) {
    const auto shard = static_cast<std::uint64_t>(p.hash("tenant/" + std::to_string(i)).value);
    const std::uint64_t offset = (shard + 8 - start) % 8;
    ASSERT_LT(offset, 3u);
    ++seen[offset];
  }
  for (const int count : seen) EXPECT_GT(count, 10);
  EXPECT_FALSE(p.reads("tenant"));
}

RC_GTEST_PROP(elasticsearch, splitting_an_index_splits_each_shard_in_two, (std::int32_t hash)) {
  const auto shards = std::uint64_t{1} << *rc::gen::inRange(0, 9);
  RC_ASSERT(elasticsearch_shard(hash, 0, 1024, 2 * shards) / 2 == elasticsearch_shard(hash, 0, 1024, shards));
}

RC_GTEST_PROP(citus, shards_are_equal_ranges_and_the_last_takes_the_rest, (std::uint32_t hash)) {
  const auto shards = *rc::gen::inRange<std::uint64_t>(1, 5000);
  const std::uint64_t size = (std::uint64_t{1} << 32) / shards;
  const std::uint64_t shard = citus_shard(hash, shards);
  RC_ASSERT(hash >= shard * size);
  RC_ASSERT(shard + 1 == shards || hash < (shard + 1) * size);
}

TEST(citus, a_bigint_that_fits_an_int_is_where_the_int_is) {
  const Placement ints = positions("citus-ranges", 0, {{"key_format", "int"}});
  const Placement bigints = positions("citus-ranges", 0, {{"key_format", "bigint"}});
  EXPECT_EQ(token(ints, "-42"), token(bigints, "-42"));
  EXPECT_TRUE(bigints.reads("2147483648"));
  EXPECT_FALSE(ints.reads("2147483648"));
  EXPECT_FALSE(ints.reads("abc"));
}

TEST(vitess, keyspace_ids_are_those_of_the_hash_vindex) {
  const Placement p = positions("vitess-hash", 0, {});
  EXPECT_EQ(token(p, "1"), "166b40b44aba4bd6");
  EXPECT_EQ(token(p, "2"), "06e7ea22ce92708f");
  EXPECT_EQ(token(p, "18446744073709551615"), token(p, "-1"));
  for (const char* key : {"1", "0", "-5", "18446744073709551615"}) EXPECT_TRUE(p.reads(key)) << key;
  for (const char* key : {"", "1x", "18446744073709551616", "-", "--1"}) EXPECT_FALSE(p.reads(key)) << key;
}

TEST(key_rules, every_row_names_one_that_there_is) {
  for (const Recipe& row : recipes())
    EXPECT_TRUE(row.key_rule.empty() || find_key_rule(row.key_rule)) << row.name;
}

TEST(key_rules, the_settings_that_they_read_are_settings_of_their_rows) {
  for (const Recipe& row : recipes()) {
    if (row.key_rule.empty()) continue;
    const std::string names = " " + std::string(find_key_rule(row.key_rule)->settings) + " ";
    std::size_t known = 0;
    for (const SettingInfo& s : row.settings)
      known += names.find(" " + std::string(s.name) + " ") != names.npos;
    const auto words = static_cast<std::size_t>(std::count(names.begin() + 1, names.end(), ' '));
    EXPECT_EQ(known, names == "  " ? 0 : words) << row.name;
  }
}

}  // namespace
}  // namespace arcwise
