// Direct rows answer as a search over the same rows does.
#include "place/table.hpp"

#include <gtest/gtest.h>

#include <array>

#include "hash/splitmix.hpp"
#include "model/build.hpp"

namespace arcwise {
namespace {

std::vector<TableRow> equal_parts(const TokenSpace& space, std::uint64_t count) {
  std::vector<TableRow> rows;
  for (std::uint64_t i = 0; i < count; ++i) {
    rows.push_back({part_end(space, count, i), {}});
    if (i % 7) rows.back().owners = {static_cast<NodeIndex>(i), static_cast<NodeIndex>(i + 1)};
  }
  return rows;
}

template <class Direct>
void expect_as_searched(const Direct& direct, const OwnerTable& searched, const TokenSpace& space) {
  const auto same_at = [&](u128 position) {
    ASSERT_EQ(direct.region_at({position}), searched.region_at({position})) << to_hex(space, {position});
    ASSERT_EQ(direct.first({position}), searched.first({position}));
  };
  for (std::size_t row = 0; row < searched.region_count(); ++row) {
    const u128 upto = searched.region(row).upto.value;
    same_at(upto);
    same_at(upto == space.last ? 0 : upto + 1);
  }
  for (std::uint64_t i = 0; i < 2000; ++i) same_at(u128{mix64(i)} % (space.last + 1));
}

TEST(table, equal_parts_are_found_as_by_search_at_every_end) {
  for (const std::uint8_t bits : std::array<std::uint8_t, 3>{16, 32, 64})
    for (std::uint64_t count : {1u, 2u, 3u, 7u, 64u, 4099u}) {
      const TokenSpace space = TokenSpace::unsigned_bits(bits);
      const std::vector<TableRow> rows = equal_parts(space, count);
      EXPECT_EQ(rows.back().upto.value, space.last);
      expect_as_searched(EqualParts(rows, space), OwnerTable(rows), space);
    }
}

TEST(table, as_many_parts_as_positions_have_one_each) {
  const TokenSpace space = TokenSpace::unsigned_bits(16);
  const std::vector<TableRow> rows = equal_parts(space, 65536);
  const EqualParts parts(rows, space);
  for (std::uint64_t h = 0; h < 65536; h += 37) ASSERT_EQ(parts.region_at({h}), h);
}

TEST(table, slots_are_found_as_by_search) {
  const TokenSpace space = TokenSpace::slots(1024);
  std::vector<TableRow> rows;
  for (std::uint64_t slot : {0u, 1u, 99u, 500u, 501u, 1023u})
    rows.push_back({{slot}, {static_cast<NodeIndex>(slot)}});
  rows[2].owners.clear();
  expect_as_searched(SlotTable(rows), OwnerTable(rows), space);
}

}  // namespace
}  // namespace arcwise
