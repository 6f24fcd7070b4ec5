// Declared capacities beside weights, tokens and partitions.
#include <gtest/gtest.h>

#include "study/check_testing.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using testing::found;

CheckReport checked(const ClusterMap& map, const std::vector<DeclaredCapacity>& capacities,
                    double over = 1.25) {
  CheckOptions options;
  options.capacities = &capacities;
  options.capacity_over = over;
  return check(compile(map), testing::unseen, options);
}

std::string message(const CheckReport& report, std::string_view rule) {
  const auto findings = found(report, rule);
  return findings.empty() ? "" : findings.front().message;
}

ClusterMap tokens(std::vector<std::size_t> counts) {
  std::vector<Node> nodes = testing::nodes(counts.size());
  std::uint64_t at = 0;
  for (std::size_t n = 0; n < counts.size(); ++n)
    for (std::size_t i = 0; i < counts[n]; ++i) nodes[n].tokens.push_back({at += 0x123456789abcdef});
  return testing::given_ring(std::move(nodes));
}

TEST(CapacityDrift, is_silent_where_only_the_unit_differs) {
  const ClusterMap map = testing::hashed_ring({testing::node("a", 1), testing::node("b", 2)}, 512);
  EXPECT_TRUE(found(checked(map, {{"a", 4e12}, {"b", 8e12}}), "capacity-drift").empty());
  EXPECT_TRUE(found(checked(map, {{"a", 3}, {"b", 6.2}}), "capacity-drift").empty());
}

TEST(CapacityDrift, one_node_off_is_told_with_the_numbers) {
  const ClusterMap map = testing::hashed_ring({testing::node("a", 1), testing::node("b", 1)}, 512);
  const CheckReport report = checked(map, {{"a", 4e12}, {"b", 8e12}}, 2);
  ASSERT_EQ(found(report, "capacity-drift").size(), 1U);
  EXPECT_EQ(message(report, "capacity-drift"),
            "a has weight 1, and its declared capacity asks for 0.5, as the median node stands: 2 times");
  EXPECT_TRUE(report.ok);
}

TEST(CapacityDrift, the_others_are_not_blamed_for_one_machine_that_was_exchanged) {
  std::vector<DeclaredCapacity> capacities;
  for (const Node& node : testing::nodes(9))
    capacities.push_back({node.name, node.name == "n02" ? 8.0 : 4.0});
  const CheckReport report = checked(testing::hashed_ring(testing::nodes(9), 512), capacities, 9);
  ASSERT_EQ(found(report, "capacity-drift").size(), 1U);
  EXPECT_EQ(found(report, "capacity-drift")[0].subject, "n02");
}

TEST(CapacityDrift, tokens_are_whole_and_a_half_of_one_is_no_drift) {
  EXPECT_TRUE(found(checked(tokens({2, 2}), {{"n00", 4}, {"n01", 5}}, 9), "capacity-drift").empty());
  EXPECT_EQ(message(checked(tokens({16, 16}), {{"n00", 1}, {"n01", 2}}, 9), "capacity-drift"),
            "n00 has 16 tokens, and its declared capacity asks for 8, as the median node stands: 2 times");
}

TEST(CapacityDrift, listed_parts_are_counted_in_each_zone_by_itself_where_zones_have_their_own_copies) {
  auto parts = testing::table_parts("ranges", 4, {{0, 2}, {0, 2}, {1, 3}, {1, 3}});
  for (std::size_t n = 0; n < 4; ++n) parts.nodes[n].zone = n < 2 ? "y" : "z";
  const std::vector<DeclaredCapacity> capacities = {{"n0", 1}, {"n1", 1}, {"n2", 5}, {"n3", 5}};
  CheckOptions options;
  options.capacities = &capacities;
  EXPECT_FALSE(found(testing::checked(parts, testing::unseen, options), "capacity-drift").empty());
  parts.replicas.per_zone = {{"y", 1}, {"z", 1}};
  EXPECT_TRUE(found(testing::checked(parts, testing::unseen, options), "capacity-drift").empty());
}

TEST(CapacityOver, is_an_error_beyond_the_factor) {
  const ClusterMap map = testing::hashed_ring({testing::node("a", 1), testing::node("b", 1)}, 4096);
  const std::vector<DeclaredCapacity> capacities = {{"a", 1}, {"b", 2}};
  const CheckReport report = checked(map, capacities, 1.25);
  EXPECT_FALSE(report.ok);
  ASSERT_EQ(found(report, "capacity-over").size(), 1U);
  EXPECT_EQ(found(report, "capacity-over")[0].subject, "a");
  EXPECT_TRUE(checked(map, capacities, 1.6).ok);
}

TEST(CapacityNames, addresses_count_and_names_on_one_side_only_are_listed) {
  auto nodes = testing::nodes(3);
  nodes[0].address = "10.0.0.1:9042";
  const CheckReport report =
      checked(testing::hashed_ring(nodes, 64), {{"10.0.0.1:9042", 1}, {"n01", 1}, {"gone", 1}}, 9);
  EXPECT_EQ(message(report, "capacity-missing"), "1 node without a declared capacity: n02");
  EXPECT_EQ(message(report, "capacity-unknown"), "1 declared node that the map does not have: gone");
  EXPECT_TRUE(report.ok);
}

}  // namespace
}  // namespace arcwise
