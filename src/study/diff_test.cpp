#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "arcwise/change.hpp"
#include "arcwise/check.hpp"
#include "study/sample_keys.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using testing::given_ring;
using testing::map_of;
using testing::node;
using testing::node_at;

constexpr std::uint64_t seed = 1;

Diff differ(const ClusterMap& a, const ClusterMap& b) {
  return diff(compile(a), compile(b), seed, 20'000);
}

const Diff::NodeShare& of(const Diff& d, const std::string& name) {
  return *std::find_if(d.nodes.begin(), d.nodes.end(), [&](const auto& n) { return n.name == name; });
}

double share(const Diff& d, const std::string& from, const std::string& to) {
  for (const Transfer& t : d.transfers)
    if (t.from == from && t.to == to) return t.share.value();
  return 0;
}

// The ring of 0…99, stretched over 64 bits: position p of a hundred is p / 100 of the circle.
std::uint64_t percent(unsigned p) {
  return static_cast<std::uint64_t>((u128{1} << 64) * (p + 1) / 100 - 1);
}

std::vector<Node> small_ring() {
  return {node_at("A", {percent(10)}), node_at("B", {percent(35)}), node_at("C", {percent(60)}),
          node_at("D", {percent(85)})};
}

TEST(Diff, a_node_at_48_takes_36_to_48_from_c_only) {
  auto with_e = small_ring();
  with_e.push_back(node_at("E", {percent(48)}));
  const Diff d = differ(given_ring(small_ring()), given_ring(with_e));
  ASSERT_EQ(d.transfers.size(), 1u);
  EXPECT_EQ(d.transfers[0].from, "C");
  EXPECT_EQ(d.transfers[0].to, "E");
  EXPECT_NEAR(d.transfers[0].share.value(), 0.13, 1e-12);
  EXPECT_EQ(d.moved, d.transfers[0].share);
  EXPECT_EQ(d.least, d.moved);
  EXPECT_EQ(d.differs, d.moved);
  EXPECT_EQ(d.primary_moved, d.moved);
  EXPECT_EQ(d.donors, std::vector<std::string>{"C"});
  EXPECT_FALSE(d.sampled);
  for (const ExampleKey& example : d.example_keys) {
    EXPECT_EQ(example.before, std::vector<std::string>{"C"});
    EXPECT_EQ(example.after, std::vector<std::string>{"E"});
  }
  EXPECT_EQ(d.example_keys.size(), 3u);
}

TEST(Diff, a_map_against_itself_is_nothing) {
  const ClusterMap map = testing::hashed_ring(testing::nodes(5), 16, 3);
  const Diff d = differ(map, map);
  EXPECT_EQ(d.before, d.after);
  EXPECT_EQ(d.differs.units + d.primary_moved.units + d.moved.units + d.least.units, 0);
  EXPECT_TRUE(d.transfers.empty() && d.donors.empty() && d.example_keys.empty());
  EXPECT_EQ(d.nodes.size(), 5u);
}

TEST(Diff, the_part_that_wraps_is_one_place) {
  // D's arc ends at 85; a node at the very top takes what lies behind it, up to position 99, from A.
  auto with_z = small_ring();
  with_z.push_back(node_at("Z", {percent(99)}));
  const Diff d = differ(given_ring(small_ring()), given_ring(with_z));
  EXPECT_NEAR(share(d, "A", "Z"), 0.14, 1e-12);
  EXPECT_EQ(d.transfers.size(), 1u);
}

TEST(Diff, one_token_owns_the_whole_circle) {
  const Diff d = differ(given_ring({node_at("a", {5})}), given_ring({node_at("b", {9})}));
  EXPECT_EQ(d.moved, Share::whole());
  EXPECT_EQ(share(d, "a", "b"), 1.0);
}

TEST(Diff, another_order_of_the_same_owners_moves_nothing) {
  const std::vector<Node> ab = {node("a"), node("b")};
  const Diff d = differ(testing::table(ab, {{{~std::uint64_t{0}}, {0, 1}}}, 2),
                        testing::table(ab, {{{~std::uint64_t{0}}, {1, 0}}}, 2));
  EXPECT_EQ(d.differs, Share::whole());
  EXPECT_EQ(d.primary_moved, Share::whole());
  EXPECT_EQ(d.moved, Share{});
}

TEST(Diff, a_gained_copy_comes_from_whoever_gives_its_copy_up_else_from_the_first_owner) {
  const std::vector<Node> all = {node("a"), node("b"), node("c"), node("n"), node("o")};
  const Diff d = differ(testing::table(all, {{{~std::uint64_t{0}}, {0, 1, 2}}}, 4),
                        testing::table(all, {{{~std::uint64_t{0}}, {3, 0, 4, 1}}}, 4));
  EXPECT_EQ(share(d, "c", "n"), 1.0);
  EXPECT_EQ(share(d, "a", "o"), 1.0);
  EXPECT_EQ(d.transfers.size(), 2u);
  EXPECT_EQ(of(d, "c").given, Share::whole());
  EXPECT_EQ(of(d, "n").gained, Share::whole());
  EXPECT_EQ(d.moved.value(), 2.0);
  EXPECT_EQ(d.least.value(), 2.0);
}

TEST(Diff, what_nobody_held_comes_from_nobody) {
  const std::vector<Node> a = {node("a")};
  const Diff d = differ(testing::table(a, {{{percent(49)}, {}}, {{percent(99)}, {0}}}),
                        testing::table(a, {{{percent(99)}, {0}}}));
  EXPECT_NEAR(share(d, "", "a"), 0.5, 1e-12);
  EXPECT_TRUE(d.donors.empty());
  const Diff back = differ(testing::table(a, {{{percent(99)}, {0}}}),
                           testing::table(a, {{{percent(49)}, {}}, {{percent(99)}, {0}}}));
  EXPECT_EQ(back.moved, Share{});
  EXPECT_NEAR(back.differs.value(), 0.5, 1e-12);
}

TEST(Diff, ten_to_eleven_under_modulo_moves_ten_elevenths) {
  const Diff d = differ(testing::modulo(10), testing::modulo(11));
  EXPECT_FALSE(d.sampled);
  EXPECT_NEAR(d.moved.value(), 10.0 / 11, 1e-12);
  EXPECT_NEAR(d.least.value(), 1.0 / 11, 1e-12);
  EXPECT_EQ(d.donors.size(), 10u);
  for (const auto& n : d.nodes) EXPECT_NEAR(n.after.value(), 1.0 / 11, 1e-12);
}

TEST(Diff, twelve_to_thirteen_under_modulo_moves_twelve_thirteenths) {
  EXPECT_NEAR(differ(testing::modulo(12), testing::modulo(13)).moved.value(), 12.0 / 13, 1e-12);
}

TEST(Diff, remainders_without_a_small_common_multiple_are_sampled) {
  const Diff d = differ(testing::modulo(4099), testing::modulo(4111));
  ASSERT_TRUE(d.sampled);
  EXPECT_EQ(d.sampled->keys, 20'000u);
  EXPECT_NEAR(d.moved.value(), 1.0, 0.01);
}

TEST(Diff, short_hashes_reach_only_some_remainders) {
  // CRC-16 mod 3 and mod 5: all 65,536 hashes, whose last turn of 15 is cut.
  auto three = testing::parts("modulo", testing::nodes(3)),
       five = testing::parts("modulo", testing::nodes(5));
  three.placement.hash = five.placement.hash = KeyHashId::crc16;
  const Diff d = differ(map_of(three), map_of(five));
  EXPECT_FALSE(d.sampled);
  EXPECT_NEAR(d.moved.value(), 0.8, 1e-4);
}

TEST(Diff, another_key_hash_is_sampled_with_its_error) {
  auto p = testing::parts("ring", testing::nodes(4));
  const ClusterMap before = map_of(p);
  p.placement.hash = KeyHashId::sha256;
  const Diff d = differ(before, map_of(p));
  ASSERT_TRUE(d.sampled);
  EXPECT_NEAR(d.moved.value(), 0.75, 0.05);
  EXPECT_NEAR(d.sampled->error_95, 1.96 * std::sqrt(d.moved.value() * (1 - d.moved.value()) / 20'000), 1e-9);
  EXPECT_EQ(d.example_keys.size(), 3u);
}

TEST(Diff, another_hash_tag_is_sampled) {
  auto p = testing::parts("ring", testing::nodes(4));
  const ClusterMap before = map_of(p);
  p.placement.hash_tag = "{}";
  const Diff d = differ(before, map_of(p));
  ASSERT_TRUE(d.sampled);
  EXPECT_EQ(d.moved, Share{});
  EXPECT_EQ(d.sampled->error_95, 3.0 / 20'000);
}

TEST(Diff, the_same_seed_samples_the_same_keys) {
  SampleKeys a(7), b(7), c(8);
  std::set<std::string> keys;
  bool same_with_other_seed = true;
  for (int i = 0; i < 1000; ++i) {
    const std::string key(a.next());
    EXPECT_EQ(key, b.next());
    same_with_other_seed &= key == c.next();
    keys.insert(key);
  }
  EXPECT_GT(keys.size(), 990u);
  EXPECT_FALSE(same_with_other_seed);
}

// Any two tables of the same nodes: nothing moves less than what the shares demand, and the books balance.
// Distinct values below a bound, sorted.
template <class T>
std::vector<T> any_set(T below) {
  auto values = *rc::gen::container<std::vector<T>>(rc::gen::inRange<T>(0, below));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<TableRow> any_rows(std::uint32_t nodes) {
  const auto cuts = any_set<std::uint64_t>(~std::uint64_t{0});
  std::vector<TableRow> rows;
  for (std::uint64_t cut : cuts) rows.push_back({{cut}, {}});
  if (rows.empty()) rows.push_back({{0}, {}});
  for (TableRow& row : rows) {
    row.owners = any_set<NodeIndex>(nodes);
    if (*rc::gen::arbitrary<bool>()) std::reverse(row.owners.begin(), row.owners.end());
  }
  return rows;
}

RC_GTEST_PROP(Diff, never_moves_less_than_least_and_its_books_balance, ()) {
  const ClusterMap before = testing::table(testing::nodes(5), any_rows(5), *rc::gen::inRange(1u, 4u));
  const ClusterMap after = testing::table(testing::nodes(5), any_rows(5), *rc::gen::inRange(1u, 4u));
  const Diff d = diff(compile(before), compile(after), seed);
  RC_ASSERT(!d.sampled);
  RC_ASSERT(d.moved >= d.least);
  RC_ASSERT(d.differs >= d.primary_moved);
  Share sent;
  std::map<std::string, std::int64_t> out, in;
  for (const Transfer& t : d.transfers) {
    RC_ASSERT(t.share.units > 0);
    RC_ASSERT(t.from != t.to);
    sent += t.share;
    out[t.from] += t.share.units;
    in[t.to] += t.share.units;
  }
  RC_ASSERT(sent == d.moved);
  for (const auto& n : d.nodes) {
    RC_ASSERT(n.gained.units == in[n.name]);
    RC_ASSERT(n.given.units == out[n.name]);
    RC_ASSERT((n.after - n.before) <= n.gained);
  }
  RC_ASSERT(std::is_sorted(d.transfers.begin(), d.transfers.end(), [](const Transfer& a, const Transfer& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  }));
}

// The ring is the same; what is hashed of a key is not.
TEST(Diff, another_prefix_or_byte_sign_is_sampled_and_found) {
  const auto placed = [](const char* recipe, const char* setting, const char* value) {
    auto p = testing::parts(recipe, testing::nodes(3));
    p.placement.settings[setting] = value;
    return compile(map_of(p));
  };
  const Diff prefixes = diff(placed("libmemcached-ketama-weighted", "prefix", "a:"),
                             placed("libmemcached-ketama-weighted", "prefix", "b:"), seed, 20'000);
  ASSERT_TRUE(prefixes.sampled);
  EXPECT_GT(prefixes.differs.value(), 0.5);
  EXPECT_FALSE(prefixes.example_keys.empty());
  const Placement as_signed = placed("libmemcached-consistent", "byte_sign", "signed");
  const Placement as_unsigned = placed("libmemcached-consistent", "byte_sign", "unsigned");
  EXPECT_FALSE(as_signed.hashes_alike(as_unsigned));
  EXPECT_TRUE(as_signed.hashes_alike(as_signed));
}

RC_GTEST_PROP(Diff, equal_fingerprints_differ_nowhere_and_an_example_differs, ()) {
  const ClusterMap before = testing::table(testing::nodes(3), any_rows(3), 2);
  const ClusterMap after = testing::table(testing::nodes(3), any_rows(3), 2);
  const Diff d = diff(compile(before), compile(after), seed);
  if (d.before == d.after) RC_ASSERT(d.differs == Share{});
  for (const ExampleKey& example : d.example_keys) RC_ASSERT(example.before != example.after);
}

// Every position by itself: the walk region by region must say the same as asking for each of them.
RC_GTEST_PROP(Diff, agrees_with_asking_for_every_slot, ()) {
  const auto slot_map = [](std::uint64_t slots) {
    auto p = testing::parts("ranges", testing::nodes(4), 2);
    p.placement.slots = slots;
    std::vector<std::uint64_t> cuts = any_set<std::uint64_t>(slots - 1);
    cuts.push_back(slots - 1);
    for (std::uint64_t cut : cuts) p.placement.table.push_back({{cut}, any_set<NodeIndex>(4)});
    return map_of(p);
  };
  const std::uint64_t m = *rc::gen::inRange<std::uint64_t>(2, 30),
                      n = *rc::gen::inRange<std::uint64_t>(2, 30), all = std::lcm(m, n);
  const Placement before = compile(slot_map(m)), after = compile(slot_map(n));
  std::uint64_t differs = 0, moved = 0;
  for (std::uint64_t hash = 0; hash < all; ++hash) {
    const auto a = testing::owner_names(before, {hash % m}), b = testing::owner_names(after, {hash % n});
    differs += a != b;
    for (const auto& name : b) moved += std::find(a.begin(), a.end(), name) == a.end();
  }
  const Diff d = diff(before, after, seed);
  RC_ASSERT(std::abs(d.differs.value() - static_cast<double>(differs) / static_cast<double>(all)) < 1e-12);
  RC_ASSERT(std::abs(d.moved.value() - static_cast<double>(moved) / static_cast<double>(all)) < 1e-12);
}

// A master is killed, its replica takes over, and the master comes back as a replica; meanwhile 1/3 moves.
TEST(Diff, a_promoted_replica_is_told_apart_from_keys_that_move) {
  const auto slots = [](std::vector<std::vector<NodeIndex>> rows) {
    auto p = testing::parts("redis-cluster", {node("a"), node("b"), node("ra"), node("rb")}, 2);
    p.placement.slots = 16384;
    p.placement.table = {{{8191}, rows[0]}, {{16383}, rows[1]}};
    return map_of(std::move(p));
  };
  const ClusterMap before = slots({{0, 2}, {1, 3}});
  for (const ClusterMap& after : {slots({{2}, {1, 3}}), slots({{2, 0}, {1, 3}})}) {
    const Diff d = differ(before, after);
    EXPECT_EQ(d.moved.units, 0);
    EXPECT_EQ(d.primary_moved.value(), 0.5);
    ASSERT_EQ(d.promotions.size(), 1u);
    EXPECT_EQ(d.promotions[0].from, "a");
    EXPECT_EQ(d.promotions[0].to, "ra");
    EXPECT_EQ(d.promotions[0].share.value(), 0.5);
  }
  EXPECT_TRUE(differ(before, slots({{1, 3}, {1, 3}})).promotions.empty());
}

}  // namespace
}  // namespace arcwise
