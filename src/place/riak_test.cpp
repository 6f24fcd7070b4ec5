#include "place/riak.hpp"

#include <gtest/gtest.h>

#include "place/testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

// Node numbers of the partitions, in order.
Placement ring(const std::vector<NodeIndex>& owner, std::uint32_t copies) {
  std::vector<Node> nodes;
  for (int n = 1; n <= 5; ++n) nodes.push_back(node("n" + std::to_string(n)));
  auto p = parts("riak", nodes, copies);
  p.placement.slots = owner.size();
  for (std::size_t i = 0; i < owner.size(); ++i) p.placement.table.push_back({{i}, {owner[i] - 1}});
  return compile(map_of(p));
}

using Names = std::vector<std::string>;

// 16 partitions dealt to five nodes: the tail meets the head with node 1 on both sides.
const std::vector<NodeIndex> dealt{1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1};

TEST(riak, copies_are_on_the_partitions_that_follow) {
  const Placement p = ring(dealt, 3);
  EXPECT_EQ(owner_names(p, {0}), (Names{"n1", "n2", "n3"}));
  EXPECT_EQ(owner_names(p, {4}), (Names{"n5", "n1", "n2"}));
}

TEST(riak, a_node_with_two_of_the_partitions_holds_two_copies) {
  EXPECT_EQ(owner_names(ring(dealt, 2), {15}), (Names{"n1"}));
  EXPECT_EQ(owner_names(ring(dealt, 3), {14}), (Names{"n5", "n1"}));
  EXPECT_EQ(owner_names(ring(dealt, 3), {15}), (Names{"n1", "n2"}));
  std::size_t repeated = 0;
  const Placement four = ring(dealt, 4);
  for (std::uint64_t p = 0; p < 16; ++p) repeated += owner_names(four, {p}).size() < 4;
  EXPECT_EQ(repeated, 3u);
}

TEST(riak, fallbacks_are_the_partitions_after_the_copies) {
  const Placement p = ring(dealt, 3);
  NodeSet down(5);
  down.insert(1);  // n2
  EXPECT_EQ(owner_names(p, {0}, NodeMask(down)), (Names{"n1", "n3", "n4"}));
  // n5 and n1 hold [n5, n1, n1]; with n1 down somebody stands in for it once.
  NodeSet first(5);
  first.insert(0);
  EXPECT_EQ(owner_names(p, {14}, NodeMask(first)), (Names{"n5", "n2"}));
}

TEST(riak, a_hash_on_a_boundary_falls_to_the_partition_after_it) {
  const std::uint64_t increment = std::uint64_t{1} << 58;  // of 64 partitions, in leading 64 bits
  EXPECT_EQ(riak_partition(0, 64), 1u);
  EXPECT_EQ(riak_partition(increment - 1, 64), 1u);
  EXPECT_EQ(riak_partition(increment, 64), 2u);
  EXPECT_EQ(riak_partition(~std::uint64_t{0}, 64), 0u);
  EXPECT_EQ(riak_partition(~std::uint64_t{0}, 1), 0u);
}

TEST(riak, a_table_may_name_several_partitions_in_one_row) {
  auto p = parts("riak", {node("a"), node("b")}, 1);
  p.placement.slots = 8;
  p.placement.table = {{{2}, {0}}, {{7}, {1}}};
  const Placement placement = compile(map_of(p));
  EXPECT_EQ(owner_names(placement, {2}), (Names{"a"}));
  EXPECT_EQ(owner_names(placement, {3}), (Names{"b"}));
  EXPECT_EQ(placement.region_count(), 8u);
}

TEST(riak, a_key_without_a_bucket_is_not_read) {
  const Placement p = ring(dealt, 3);
  EXPECT_TRUE(p.reads("users/1000"));
  EXPECT_FALSE(p.reads("users"));
}

}  // namespace
}  // namespace arcwise
