// Tables of partitions and slots handed out anew by a change.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "arcwise/assign.hpp"
#include "arcwise/change.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using testing::node;

NewNode fresh(std::string name, std::string rack = "") {
  NewNode n;
  n.name = std::move(name);
  n.rack = std::move(rack);
  return n;
}

// Three masters with a replica each.
ClusterMap redis() {
  auto p = testing::parts("redis-cluster",
                          {node("a"), node("b"), node("c"), node("ra"), node("rb"), node("rc")}, 2);
  p.placement.slots = 16384;
  p.placement.table = {{{5460}, {0, 3}}, {{10922}, {1, 4}}, {{16383}, {2, 5}}};
  return testing::map_of(std::move(p));
}

ClusterMap partitions(std::uint32_t count, Across across) {
  std::vector<Node> nodes = testing::nodes(6);
  for (std::size_t i = 0; i < 6; ++i) nodes[i].rack = "r" + std::to_string(i % 3);
  auto p = testing::parts("ranges", std::move(nodes), 2, across);
  p.placement.slots = count;
  for (std::uint32_t s = 0; s < count; ++s) p.placement.table.push_back({{s}, {s % 6, (s + 1) % 6}});
  return testing::map_of(std::move(p));
}

std::map<std::string, std::uint64_t> firsts(const ClusterMap& map) {
  std::map<std::string, std::uint64_t> out;
  u128 from = 0;
  for (const TableRow& row : map.placement().table) {
    out[map.nodes()[row.owners.front()].name] += static_cast<std::uint64_t>(row.upto.value + 1 - from);
    from = row.upto.value + 1;
  }
  return out;
}

ClusterMap changed(const ClusterMap& map, const Change& change, std::vector<Finding>& notes) {
  const auto after = apply(map, change, notes);
  EXPECT_TRUE(after.ok()) << (after.ok() ? "" : to_string(after.error()));
  return after.ok() ? *after : map;
}

TEST(HandOut, a_new_master_takes_a_quarter_of_the_slots_and_nothing_else_moves) {
  std::vector<Finding> notes;
  Change change;
  change.add.push_back(fresh("d"));
  const ClusterMap after = changed(redis(), change, notes);
  for (const auto& [name, slots] : firsts(after)) EXPECT_EQ(slots, 4096) << name;
  ASSERT_EQ(notes.size(), 1);
  EXPECT_EQ(
      notes[0].message,
      "4096 of 16384 copies move, and 4096 is the proven least for these weights; nodes hold from 4096 to "
      "4096");
  for (const TableRow& row : after.placement().table)
    EXPECT_EQ(row.owners.size(), row.owners[0] == 6 ? 1 : 2);
}

TEST(HandOut, a_master_that_leaves_gives_its_slots_to_the_other_shards) {
  std::vector<Finding> notes;
  Change change;
  change.remove = {"b"};
  const ClusterMap after = changed(redis(), change, notes);
  EXPECT_EQ(firsts(after), (std::map<std::string, std::uint64_t>{{"a", 8192}, {"c", 8192}}));
  for (const TableRow& row : after.placement().table)
    EXPECT_EQ(after.nodes()[row.owners[1]].name, "r" + after.nodes()[row.owners[0]].name);
}

TEST(HandOut, another_weight_moves_slots) {
  std::vector<Finding> notes;
  Change change;
  change.weight = {{"a", 2}};
  EXPECT_EQ(firsts(changed(redis(), change, notes)),
            (std::map<std::string, std::uint64_t>{{"a", 8192}, {"b", 4096}, {"c", 4096}}));
}

TEST(HandOut, a_replica_that_leaves_moves_no_slot) {
  std::vector<Finding> notes;
  Change change;
  change.remove = {"rb"};
  const ClusterMap after = changed(redis(), change, notes);
  EXPECT_EQ(firsts(after), firsts(redis()));
  for (const TableRow& row : after.placement().table)
    EXPECT_EQ(row.owners.size(), after.nodes()[row.owners[0]].name == "b" ? 1 : 2);
}

TEST(HandOut, a_master_that_is_down_neither_takes_nor_gives_slots) {
  std::vector<Finding> notes;
  Change change;
  change.parts.rebalance = true;
  change.parts.down = {"b"};
  change.weight = {{"b", 4}, {"c", 3}};
  const auto slots = firsts(changed(redis(), change, notes));
  EXPECT_EQ(slots.at("b"), firsts(redis()).at("b"));
  EXPECT_NEAR(static_cast<double>(slots.at("c")), 0.75 * static_cast<double>(16384 - slots.at("b")), 1);
}

TEST(HandOut, the_moves_are_the_least_that_diff_counts_and_racks_stay_apart) {
  const ClusterMap before = partitions(120, Across::rack);
  std::vector<Finding> notes;
  Change change;
  change.add.push_back(fresh("joiner", "r1"));
  const ClusterMap after = changed(before, change, notes);
  const Diff d = diff(compile(before), compile(after), 1);
  EXPECT_EQ(d.moved, d.least);
  EXPECT_NEAR(d.moved.value(), 240.0 / 7 / 120, 1.0 / 120);
  for (const TableRow& row : after.placement().table)
    EXPECT_NE(after.nodes()[row.owners[0]].rack, after.nodes()[row.owners[1]].rack);
}

TEST(HandOut, maps_with_another_number_of_slots_are_refused) {
  const ClusterMap before = partitions(120, Across::node), after = partitions(240, Across::node);
  EXPECT_FALSE(check_part_count(before, before));
  const auto error = check_part_count(before, after);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::refused);
  EXPECT_EQ(error->what, "240");
}

TEST(HandOut, a_drained_node_stays_in_the_map_as_leaving_and_gives_everything_up) {
  std::vector<Finding> notes;
  Change change;
  change.parts.drains = {{"b", 1}};
  const ClusterMap after = changed(redis(), change, notes);
  EXPECT_EQ(firsts(after), (std::map<std::string, std::uint64_t>{{"a", 8192}, {"c", 8192}}));
  EXPECT_EQ(after.nodes()[*after.find("b")].state, NodeState::leaving);
}

TEST(HandOut, a_node_drained_by_a_quarter_three_times_and_then_wholly_moves_no_more_than_at_once) {
  const ClusterMap before = partitions(120, Across::rack);
  Change at_once, change;
  at_once.parts.drains = {{"n02", 1}};
  std::vector<Finding> notes;
  const Diff whole = diff(compile(before), compile(changed(before, at_once, notes)), 1);
  ClusterMap now = before;
  Share moved;
  for (double by : {0.25, 1.0 / 3, 0.5, 1.0}) {
    change.parts.drains = {{"n02", by}};
    const ClusterMap next = changed(now, change, notes);
    const Diff step = diff(compile(now), compile(next), 1);
    EXPECT_NEAR(step.moved.value() * 120, 10, 0.001);
    moved += step.moved;
    now = next;
  }
  EXPECT_EQ(moved, whole.moved);
}

TEST(HandOut, copies_that_move_at_most_are_told_beside_those_that_remain) {
  std::vector<Finding> notes;
  Change change;
  change.add.push_back(fresh("d"));
  change.parts.at_most = 1000;
  const ClusterMap after = changed(redis(), change, notes);
  EXPECT_EQ(firsts(after)["d"], 1000);
  EXPECT_EQ(notes.back().message,
            "1000 of 16384 copies move now and 3096 later: the weights ask for 4096 in all, and 4096 is the "
            "proven least; nodes hold from 1000 to 5128");
  EXPECT_LE(after.placement().table.size(), redis().placement().table.size() + 3);
  change = {};
  change.parts.rebalance = true;
  for (const auto& [name, slots] : firsts(changed(after, change, notes))) EXPECT_EQ(slots, 4096) << name;
}

TEST(HandOut, pins_and_exclusions_hold_and_what_breaks_them_is_an_error) {
  const ClusterMap before = partitions(120, Across::rack);
  std::vector<Finding> notes;
  Change change;
  change.parts.pins = {{0, 9, "n05"}};
  change.parts.exclusions = {{20, 29, "n01"}};
  const ClusterMap after = changed(before, change, notes);
  const auto holds = [&](std::size_t p, std::string_view name) {
    const auto& row = after.placement().table[p].owners;
    return std::count(row.begin(), row.end(), *after.find(name)) > 0;
  };
  for (std::size_t p = 0; p < 10; ++p) EXPECT_TRUE(holds(p, "n05")) << p;
  for (std::size_t p = 20; p < 30; ++p) EXPECT_FALSE(holds(p, "n01")) << p;
  change.parts.pins = {{120, 120, "n05"}};
  EXPECT_EQ(apply(before, change, notes).error().why, "there are 120 parts, numbered from 0");
  change.parts.pins = {{1, 1, "nobody"}};
  EXPECT_EQ(apply(before, change, notes).error().what, "nobody");
  change.parts.pins = {{1, 1, "n05"}};
  change.parts.drains = {{"n05", 1}};
  EXPECT_NE(apply(before, change, notes).error().why.find("pinned to this node, which holds nothing"),
            std::string::npos);
  change.parts.pins.clear();
  EXPECT_NE(apply(testing::hashed_ring(testing::nodes(3), 8), change, notes).error().why.find("who holds"),
            std::string::npos);
  change.parts.drains.clear();
  change.remove = {"n05"};
  change.parts.at_most = 3;
  EXPECT_NE(apply(before, change, notes).error().why.find("would still hold"), std::string::npos);
}

}  // namespace
}  // namespace arcwise
