#include "arcwise/collapse.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace testing;
using Why = CollapsedRange::Why;

ClusterMap racked(std::vector<Node> nodes, std::uint32_t replicas) {
  auto p = parts("cassandra-murmur3", std::move(nodes), replicas, Across::rack);
  p.replicas.when_short = WhenShort::repeat;
  return map_of(std::move(p));
}

TEST(Collapse, a_range_with_fewer_owners_up_than_asked_is_collapsed) {
  const Placement ring = compile(equal_arcs(6, 3));
  NodeSet down(6);
  EXPECT_TRUE(collapsed_ranges(ring, down).ranges.empty());
  down.insert(2);
  const Collapsed lost = collapsed_ranges(ring, down);
  EXPECT_NEAR(lost.share.value(), 0.5, 1e-9);
  ASSERT_EQ(lost.ranges.size(), 3U);
  EXPECT_EQ(lost.ranges[0].up, (std::vector<NodeIndex>{0, 1}));
  EXPECT_EQ(lost.ranges[0].why, Why::few);
}

TEST(Collapse, copies_in_one_rack_count_as_none_where_the_policy_asks_for_several) {
  // With racks asked for but one node only beside them, a table may list what the policy would not choose.
  auto p = parts("cassandra-ranges", {node("a", 1, "r1"), node("b", 1, "r1"), node("c", 1, "r2")}, 2,
                 Across::rack);
  p.placement.table = {{{u128{1} << 62}, {0, 1}}, {{~std::uint64_t{0}}, {0, 2}}};
  const Collapsed found = collapsed_ranges(compile(map_of(p)), NodeSet(3));
  ASSERT_EQ(found.ranges.size(), 1U);
  EXPECT_EQ(found.ranges[0].why, Why::together);
  EXPECT_EQ(found.ranges[0].up, (std::vector<NodeIndex>{0, 1}));
}

TEST(Collapse, copies_on_one_machine_count_as_none_whatever_the_policy) {
  std::vector<Node> nodes{node_at("a", {100}), node_at("b", {200}), node_at("c", {300})};
  nodes[0].host = nodes[1].host = "h1";
  nodes[2].host = "h2";
  const Collapsed found = collapsed_ranges(compile(map_of(parts("cassandra-murmur3", nodes, 2))), NodeSet(3));
  ASSERT_EQ(found.ranges.size(), 1U);
  EXPECT_EQ(found.ranges[0].region, (Region{{300}, {100}}));
}

TEST(Collapse, where_there_is_one_rack_only_nothing_could_stand_apart) {
  const ClusterMap map =
      racked({node_at("a", {100}, "r1"), node_at("b", {200}, "r1"), node_at("c", {300}, "r1")}, 3);
  EXPECT_TRUE(collapsed_ranges(compile(map), NodeSet(3)).ranges.empty());
}

TEST(Collapse, changes_come_in_the_order_in_which_they_replace_most) {
  const ClusterMap map = equal_arcs(6, 2);
  NodeSet down(6);
  down.insert(1);
  down.insert(4);
  // n04 holds its own arc and that of n03, which is half as long again as the others.
  auto p = map.parts();
  p.nodes[2].tokens[0].value -= (u128{1} << 64) / 12;
  const ClusterMap uneven = map_of(p);
  const auto replaced = [&](std::size_t node) {
    auto q = uneven.parts();
    q.nodes[node].name = "new";
    return std::optional(map_of(q));
  };
  const std::vector<std::optional<ClusterMap>> alone{replaced(0), replaced(1), std::nullopt, replaced(4)};
  EXPECT_EQ(contain_first(compile(uneven), down, alone), (std::vector<std::size_t>{3, 1, 0, 2}));
}

RC_GTEST_PROP(Collapse, what_a_step_replaces_is_what_is_collapsed_before_and_not_after, ()) {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<Node> nodes;
  for (std::size_t n = 0; n < 7; ++n)
    nodes.push_back(node_at(numbered("n", n), {rng.next(), rng.next()}, "r" + std::to_string(n % 3)));
  const Placement before = compile(racked({nodes.begin(), nodes.begin() + 5}, 3));
  const Placement after = compile(racked(nodes, 3));
  NodeSet down(5);
  down.insert(static_cast<NodeIndex>(rng.below(5)));
  const auto collapsed = [&](const Placement& p, u128 at) {
    const auto owners = owner_names(p, {at});
    std::set<std::string> racks;
    std::size_t up = 0;
    for (const std::string& owner : owners) {
      const NodeIndex n = *p.map().find(owner);
      if (n < 5 && down.contains(n)) continue;
      ++up;
      racks.insert(p.map().nodes()[n].rack);
    }
    return up < 3 || racks.size() < 2;
  };
  std::set<u128> ends;
  for (const Placement* p : {&before, &after})
    for (std::size_t i = 0; i < p->region_count(); ++i) ends.insert(p->region(i).upto.value);
  Share sum;
  u128 last = *ends.rbegin();
  for (u128 end : ends) {
    if (collapsed(before, end) && !collapsed(after, end))
      sum += share_of(before.map().domain(), {{last}, {end}});
    last = end;
  }
  RC_ASSERT(replaced_share(before, after, down) == sum);
}

}  // namespace
}  // namespace arcwise
