// Tables changed row by row.
#include "arcwise/ranges.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using testing::node;

constexpr u128 top = ~std::uint64_t{0};

std::vector<Node> racked(std::size_t count, std::size_t racks) {
  std::vector<Node> nodes = testing::nodes(count);
  for (std::size_t i = 0; i < count; ++i) nodes[i].rack = "r" + std::to_string(i % racks);
  return nodes;
}

// Rows with random ends and owners on different racks.
ClusterMap random_table(Rng& rng, std::size_t nodes, std::size_t rows, std::uint32_t replicas,
                        bool wraps = false) {
  auto p = testing::parts("ranges", racked(nodes, 3), replicas, Across::rack);
  std::vector<u128> ends;
  for (std::size_t i = 0; i + 1 < rows; ++i) ends.push_back(rng.next() >> 1);
  ends.push_back(wraps ? (top >> 1) + 5 : top);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (u128 end : ends) {
    TableRow row{{end}, {}};
    const std::size_t first = rng.below(3);
    for (std::size_t r = 0; r < replicas; ++r) {
      const std::size_t rack = (first + r) % 3, of_rack = (nodes - rack + 2) / 3;
      row.owners.push_back(static_cast<NodeIndex>(rack + 3 * rng.below(of_rack)));
    }
    p.placement.table.push_back(row);
  }
  return testing::map_of(std::move(p));
}

bool same_table(const ClusterMap& a, const ClusterMap& b) {
  const auto &x = a.placement().table, &y = b.placement().table;
  return x.size() == y.size() &&
         std::equal(x.begin(), x.end(), y.begin(), [](const TableRow& r, const TableRow& s) {
           return r.upto == s.upto && r.owners == s.owners;
         });
}

std::vector<NodeIndex> owners(const Placement& placement, std::uint64_t at) {
  std::vector<NodeIndex> out(placement.max_owners());
  out.resize(placement.owners({"", KeyHash{at}, {}}, out));
  return out;
}

std::string why(const Result<ClusterMap>& result) {
  return result ? "" : to_string(result.error());
}

RC_GTEST_PROP(SplitRange, moves_no_key_and_merging_gives_the_table_back, (std::uint64_t seed, bool wraps)) {
  Rng rng(seed);
  const ClusterMap map = random_table(rng, 7, 1 + rng.below(9), 3, wraps);
  const Token at{rng.next()};
  for (const TableRow& row : map.placement().table) RC_PRE(row.upto != at);
  const auto split = split_range(map, at);
  RC_ASSERT(split.ok());
  RC_ASSERT(split->placement().table.size() == map.placement().table.size() + 1);
  const Placement before = compile(map), after = compile(*split);
  Share all;
  for (std::size_t i = 0; i < after.region_count(); ++i) all += share_of(map.domain(), after.region(i));
  RC_ASSERT(all == Share::whole());
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t key = rng.next();
    RC_ASSERT(owners(before, key) == owners(after, key));
  }
  const auto merged = merge_ranges(*split, at);
  RC_ASSERT(merged.ok());
  RC_ASSERT(same_table(*merged, map));
}

RC_GTEST_PROP(MoveUnit, moves_exactly_the_range, (std::uint64_t seed)) {
  Rng rng(seed);
  const ClusterMap map = random_table(rng, 7, 2 + rng.below(9), 2);
  const auto& table = map.placement().table;
  const std::size_t unit = rng.below(table.size());
  const NodeIndex from = table[unit].owners[rng.below(2)], to = static_cast<NodeIndex>(rng.below(7));
  const auto moved = move_unit(map, unit, from, to);
  if (!moved) return;
  const Placement before = compile(map), after = compile(*moved);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto end = static_cast<std::uint64_t>(table[i].upto.value);
    RC_ASSERT((owners(before, end) != owners(after, end)) == (i == unit));
  }
  const auto now = moved->placement().table[unit].owners;
  RC_ASSERT(now[0] % 3 != now[1] % 3);  // racks
  const auto back = move_unit(*moved, unit, to, from);
  RC_ASSERT(back.ok());
  RC_ASSERT(same_table(*back, map));
}

TEST(MoveUnit, another_owner_becomes_the_first) {
  const ClusterMap map = testing::table(testing::nodes(3), {{{99}, {0, 1}}, {{top}, {1, 2}}}, 2);
  const auto moved = move_unit(map, 0, 0, 1);
  ASSERT_TRUE(moved.ok()) << why(moved);
  EXPECT_EQ(moved->placement().table[0].owners, (std::vector<NodeIndex>{1, 0}));
}

TEST(MoveUnit, of_a_slot_takes_it_out_of_its_row_and_joins_it_with_its_neighbours) {
  auto p = testing::parts("redis-cluster", {node("a"), node("b"), node("ra"), node("rb")}, 2);
  p.placement.slots = 16384;
  p.placement.table = {{{8191}, {0, 2}}, {{16383}, {1, 3}}};
  const ClusterMap map = testing::map_of(std::move(p));
  const auto inside = move_unit(map, 5970, 0, 1);
  ASSERT_TRUE(inside.ok()) << why(inside);
  ASSERT_EQ(inside->placement().table.size(), 4u);
  EXPECT_EQ(inside->placement().table[1].owners, (std::vector<NodeIndex>{1, 3}));
  const auto edge = move_unit(map, 8191, 0, 1);
  ASSERT_TRUE(edge.ok()) << why(edge);
  ASSERT_EQ(edge->placement().table.size(), 2u);
  EXPECT_EQ(edge->placement().table[0].upto.value, 8190u);
  const auto back = move_unit(*inside, 5970, 1, 0);
  ASSERT_TRUE(back.ok()) << why(back);
  EXPECT_TRUE(same_table(*back, map));
  for (std::size_t end : {0u, 16383u}) {
    const auto last = move_unit(map, end, end ? 1 : 0, end ? 0 : 1);
    ASSERT_TRUE(last.ok()) << why(last);
    EXPECT_EQ(last->placement().table.size(), 3u);
  }
}

TEST(ChangesOfATable, are_refused_with_the_reason) {
  const ClusterMap map =
      testing::table(testing::nodes(4), {{{99}, {0, 1}}, {{199}, {1, 2}}, {{top}, {1, 2}}}, 2);
  EXPECT_NE(why(split_range(map, {99})).find("ends there already"), std::string::npos);
  EXPECT_NE(why(split_range(map, {top + 1})).find("beyond the last position"), std::string::npos);
  EXPECT_NE(why(merge_ranges(map, {98})).find("no range ends there"), std::string::npos);
  EXPECT_NE(why(merge_ranges(map, {top})).find("no range behind it"), std::string::npos);
  EXPECT_NE(why(merge_ranges(map, {99})).find("different owners: n00, n01 and n01, n02"), std::string::npos);
  EXPECT_NE(why(move_unit(map, 0, 3, 2)).find("no copy there to move"), std::string::npos);
  EXPECT_NE(why(move_unit(map, 0, 1, 0)).find("has a copy there already"), std::string::npos);
  EXPECT_NE(why(move_unit(map, 0, 0, 0)).find("where it is"), std::string::npos);

  auto racks = testing::parts("ranges", racked(6, 3), 3, Across::rack);
  racks.placement.table = {{{top}, {0, 1, 2}}};
  const ClusterMap apart = testing::map_of(std::move(racks));
  EXPECT_NE(why(move_unit(apart, 0, 0, 4)).find("share a rack"), std::string::npos);
  EXPECT_TRUE(move_unit(apart, 0, 0, 3).ok());

  auto parts = testing::parts("partitions", testing::nodes(2));
  parts.placement.table = {{{top >> 1}, {0}}, {{top}, {1}}};
  const ClusterMap partitions = testing::map_of(std::move(parts));
  EXPECT_NE(why(split_range(partitions, {99})).find("a partition cannot be split"), std::string::npos);
  EXPECT_NE(why(merge_ranges(partitions, {top >> 1})).find("a partition cannot be split"), std::string::npos);
  EXPECT_NE(why(move_unit(testing::hashed_ring(testing::nodes(2), 4), 0, 0, 1)).find("derives owners"),
            std::string::npos);
}

TEST(RangeUnits, are_found_by_the_names_they_have) {
  const ClusterMap ranges = testing::table(testing::nodes(2), {{{0xff}, {0}}, {{top}, {1}}});
  EXPECT_EQ(unit_name(ranges, 0), "00000000000000ff");
  EXPECT_EQ(find_unit(ranges, "ff"), 0u);
  EXPECT_EQ(find_unit(ranges, "fe"), std::nullopt);
  EXPECT_EQ(find_unit(ranges, "x"), std::nullopt);
  auto p = testing::parts("redis-cluster", {node("a")});
  p.placement.slots = 16384;
  p.placement.table = {{{16383}, {0}}};
  const ClusterMap slots = testing::map_of(std::move(p));
  EXPECT_EQ(unit_count(slots), 16384u);
  EXPECT_EQ(find_unit(slots, "16383"), 16383u);
  EXPECT_EQ(find_unit(slots, "16384"), std::nullopt);
  EXPECT_EQ(find_unit(slots, ""), std::nullopt);
}

}  // namespace
}  // namespace arcwise
