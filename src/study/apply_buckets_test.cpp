// Nodes that come and go where keys have numbered buckets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "arcwise/change.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Buckets = std::vector<std::uint32_t>;

ClusterMap fleet(std::string_view recipe, std::size_t count) {
  return map_of(parts(recipe, nodes(count), 1, Across::node, 1));
}

ClusterMap changed(const ClusterMap& map, const Change& change) {
  std::vector<Finding> warnings;
  auto after = apply(map, change, warnings);
  if (!after) throw std::runtime_error(to_string(after.error()));
  return *after;
}

ClusterMap without(const ClusterMap& map, std::string name) {
  return changed(map, {.add = {}, .remove = {std::move(name)}, .weight = {}, .replace = {}});
}

ClusterMap with(const ClusterMap& map, std::string name, std::optional<double> weight = {}) {
  NewNode fresh;
  fresh.name = std::move(name);
  fresh.weight = weight;
  return changed(map, {.add = {std::move(fresh)}, .remove = {}, .weight = {}, .replace = {}});
}

const Buckets& of(const ClusterMap& map, std::string_view name) {
  return map.nodes()[map.find(name).value()].buckets;
}

TEST(Buckets, are_numbered_in_list_order_and_by_weight_where_the_map_lists_none) {
  std::vector<Node> list = nodes(3);
  list[1].weight = 2;
  const ClusterMap map = map_of(parts("jump", list, 1, Across::node, 1));
  EXPECT_THAT(of(map, "n00"), ElementsAre(0));
  EXPECT_THAT(of(map, "n01"), ElementsAre(1, 2));
  EXPECT_THAT(of(map, "n02"), ElementsAre(3));
}

TEST(Buckets, a_removal_is_remembered_and_the_last_to_go_is_the_first_to_come_back) {
  for (const char* recipe : {"anchor", "memento"}) {
    const ClusterMap after = without(without(fleet(recipe, 5), "n01"), "n03");
    EXPECT_THAT(after.placement().removed, ElementsAre(1, 3));
    const ClusterMap back = with(after, "fresh");
    EXPECT_THAT(of(back, "fresh"), ElementsAre(3));
    EXPECT_THAT(back.placement().removed, ElementsAre(1));
    const ClusterMap heavy = with(back, "heavy", 3);
    EXPECT_THAT(of(heavy, "heavy"), ElementsAre(1, 5, 6));
    EXPECT_THAT(heavy.placement().removed, IsEmpty());
  }
}

TEST(Buckets, the_last_one_goes_without_a_trace_unless_others_went_before) {
  EXPECT_THAT(without(fleet("memento", 5), "n04").placement().removed, IsEmpty());
  EXPECT_THAT(without(without(fleet("memento", 5), "n01"), "n04").placement().removed, ElementsAre(1, 4));
}

TEST(Buckets, jump_lets_only_the_last_go) {
  for (const char* recipe : {"jump", "jump-back"}) {
    const ClusterMap map = fleet(recipe, 5);
    EXPECT_EQ(without(map, "n04").nodes().size(), 4u);
    std::vector<Finding> warnings;
    const auto refused = apply(map, {.add = {}, .remove = {"n02"}, .weight = {}, .replace = {}}, warnings);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().what, "n02");
    EXPECT_THAT(refused.error().why,
                HasSubstr("it holds bucket 2, and this algorithm can only let the last one, 4, go"));
  }
}

TEST(Buckets, a_weight_gives_and_takes_buckets) {
  const ClusterMap heavy =
      changed(fleet("anchor", 3), {.add = {}, .remove = {}, .weight = {{"n00", 3}}, .replace = {}});
  EXPECT_THAT(of(heavy, "n00"), ElementsAre(0, 3, 4));
  const ClusterMap light = changed(heavy, {.add = {}, .remove = {}, .weight = {{"n00", 2}}, .replace = {}});
  EXPECT_THAT(of(light, "n00"), ElementsAre(0, 3));
}

Error refusal(ClusterMap::Parts p) {
  const auto map = ClusterMap::build(std::move(p));
  if (map) throw std::runtime_error("accepted");
  EXPECT_FALSE(map.error().advice.empty());
  return map.error();
}

TEST(Buckets, each_is_held_once_or_removed_without_a_gap) {
  const auto holding = [](std::string_view recipe, Buckets a, Buckets b, Buckets removed) {
    auto p = parts(recipe, nodes(2), 1, Across::node, 1);
    p.nodes[0].buckets = std::move(a);
    p.nodes[1].buckets = std::move(b);
    p.placement.removed = std::move(removed);
    return p;
  };
  EXPECT_TRUE(ClusterMap::build(holding("anchor", {2, 0}, {1}, {})));
  EXPECT_TRUE(ClusterMap::build(holding("anchor", {0}, {3}, {1, 2})));
  EXPECT_THAT(refusal(holding("anchor", {0}, {3}, {1})).why,
              HasSubstr("nobody holds bucket 2, and bucket 3 is held"));
  EXPECT_THAT(refusal(holding("jump", {0}, {2}, {})).advice, HasSubstr("no gaps"));
  EXPECT_THAT(refusal(holding("jump", {0}, {2}, {1})).why, HasSubstr("cannot remember removals"));
  EXPECT_THAT(refusal(holding("anchor", {0, 1}, {1}, {})).why,
              HasSubstr("bucket 1 is listed by node 'n00' and by node 'n01'"));
  EXPECT_THAT(refusal(holding("anchor", {0}, {1}, {1})).why, HasSubstr("by node 'n01' and by `removed`"));
  EXPECT_THAT(refusal(holding("anchor", {0, 0}, {1}, {})).why, HasSubstr("listed twice by node 'n00'"));
  EXPECT_THAT(refusal(holding("anchor", {0, 1}, {}, {})).why, HasSubstr("and this one none"));
  EXPECT_THAT(refusal(holding("rendezvous", {0}, {1}, {})).why, HasSubstr("has none"));
  EXPECT_THAT(refusal(holding("rendezvous", {}, {}, {1})).why, HasSubstr("no buckets that could be removed"));
  auto small = holding("anchor", {0}, {1}, {});
  small.placement.settings["capacity"] = "1";
  EXPECT_THAT(refusal(small).why, HasSubstr("more than the capacity"));
}

// Whatever happens to a fleet, only the keys of the node that comes or goes move.
RC_GTEST_PROP(Buckets, every_change_moves_only_the_keys_of_the_node_that_changes, ()) {
  const std::string recipe = *rc::gen::element<std::string>("anchor", "memento");
  ClusterMap map = fleet(recipe, 6);
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
  int fresh = 0;
  for (const int step : steps) {
    const bool removes = step < 8 && map.nodes().size() > 1;
    const std::string name = removes ? map.nodes()[static_cast<std::size_t>(step) % map.nodes().size()].name
                                     : "fresh" + std::to_string(fresh++);
    const ClusterMap next = removes ? without(map, name) : with(map, name, 1 + step % 3);
    const Placement before = compile(map), after = compile(next);
    for (int k = 0; k < 300; ++k) {
      const std::string key = "k" + std::to_string(k);
      const std::string was = owners_of_key(before, key)[0], is = owners_of_key(after, key)[0];
      RC_ASSERT(was == is || was == name || is == name);
    }
    map = next;
  }
}

}  // namespace
}  // namespace arcwise
