// The change a few nodes at a time: order, limits, times, and what the maps in between are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/build.hpp"
#include "study/rng.hpp"
#include "study/steps_testing.hpp"

namespace arcwise {
namespace {

using testing::load;
using testing::moved_at_once;
using testing::named;
using testing::node;
using testing::steps_of;

constexpr double TB = 1e12, MB = 1e6;

CostOptions fleet() {
  CostOptions cost;
  cost.data_bytes = 24 * TB;
  cost.node_bandwidth = 250 * MB;
  return cost;
}
StepOptions in_flight(std::uint64_t nodes) {
  StepOptions options;
  options.max_in_flight = nodes;
  return options;
}

Change five_changes() {
  Change change;
  change.remove = {"n00"};
  change.weight = {{"n01", 2.5}};
  change.replace = {{"n02", named("other")}};
  change.add = {named("x"), named("y")};
  return change;
}

TEST(Steps, are_one_a_node_in_the_order_add_replace_weight_remove) {
  const StepPlan p = steps_of(testing::hashed_ring(testing::nodes(5), 64, 2), five_changes(), {}, fleet());
  std::vector<std::string> actions;
  for (const Step& step : p.steps) {
    ASSERT_EQ(step.actions.size(), 1u);
    actions.push_back(step.actions[0]);
    EXPECT_GT(step.moved.units, 0);
    EXPECT_GT(step.seconds, 0);
  }
  EXPECT_EQ(actions, (std::vector<std::string>{"add x", "add y", "replace n02 by other",
                                               "reweight n01 to 2.5", "remove n00"}));
  EXPECT_GE(p.moved, moved_at_once(p));
  EXPECT_NE(testing::finding(p.warnings, "moved-twice"), nullptr);
}

TEST(Steps, change_no_more_nodes_at_once_than_asked_and_end_at_the_map_after) {
  const ClusterMap before = testing::hashed_ring(testing::nodes(5), 64, 2);
  const ClusterMap after = testing::applied(before, five_changes());
  for (std::uint64_t most : {1u, 2u, 3u, 5u, 9u}) {
    const StepPlan p = steps_of(before, five_changes(), in_flight(most), fleet());
    EXPECT_EQ(p.steps.size(), (5 + most - 1) / most);
    for (const Step& step : p.steps) EXPECT_LE(step.actions.size(), most);
    EXPECT_EQ(p.states.front().fingerprint, fingerprints(compile(before)).fingerprint);
    EXPECT_EQ(p.states.back().fingerprint, fingerprints(compile(after)).fingerprint);
    EXPECT_EQ(p.states.back().membership, fingerprints(compile(after)).membership);
    if (most >= 5) {
      EXPECT_EQ(p.moved, moved_at_once(p));
      EXPECT_EQ(testing::finding(p.warnings, "moved-twice"), nullptr);
    }
  }
}

TEST(Steps, raise_the_epoch_one_by_one) {
  auto parts = testing::hashed_ring(testing::nodes(5), 64, 2).parts();
  parts.epoch = 7;
  const StepPlan p = steps_of(testing::map_of(parts), five_changes());
  ASSERT_EQ(p.maps.size(), 6u);
  for (std::size_t i = 0; i < p.maps.size(); ++i) EXPECT_EQ(p.maps[i].epoch(), 7 + i);
}

TEST(Steps, use_the_tokens_that_the_whole_change_drew) {
  Change change;
  change.add = {named("x")};
  change.remove = {"n04"};
  const ClusterMap before = testing::equal_arcs(6);
  const StepPlan p = steps_of(before, change);
  ASSERT_EQ(p.steps.size(), 2u);
  Change first;
  first.add = {named("x")};
  EXPECT_EQ(p.steps[0].moved, steps_of(before, first).moved);
}

TEST(Steps, a_new_node_comes_with_its_weight_at_once) {
  Change change;
  change.add = {named("x")};
  change.weight = {{"x", 2}, {"n01", 3}};
  const StepPlan p = steps_of(testing::hashed_ring(testing::nodes(5), 64, 2), change);
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.steps[0].actions, std::vector<std::string>{"add x"});
  EXPECT_EQ(p.steps[1].actions, std::vector<std::string>{"reweight n01 to 3"});
  EXPECT_NE(p.states[0].fingerprint, p.states[1].fingerprint);
}

TEST(Steps, of_two_maps_are_what_differs_between_their_nodes) {
  const ClusterMap before = testing::hashed_ring(testing::nodes(5), 64, 2);
  const ClusterMap after = testing::applied(before, five_changes());
  const StepPlan p = plan_steps(before, after, {}, fleet(), {}, 1);
  std::vector<std::string> actions;
  for (const Step& step : p.steps) actions.insert(actions.end(), step.actions.begin(), step.actions.end());
  EXPECT_EQ(actions, (std::vector<std::string>{"add other", "add x", "add y", "reweight n01 to 2.5",
                                               "remove n00", "remove n02"}));
  EXPECT_EQ(p.states.back().fingerprint, fingerprints(compile(after)).fingerprint);
}

TEST(Steps, of_maps_that_differ_in_more_than_nodes_are_one) {
  const StepPlan p = plan_steps(testing::hashed_ring(testing::nodes(5), 64, 2),
                                testing::hashed_ring(testing::nodes(6), 64, 3), {}, {}, {}, 1);
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].actions, std::vector<std::string>{"change to the other map"});
  EXPECT_TRUE(p.steps[0].back.words.empty());
}

TEST(Steps, wait_until_the_last_change_is_old_enough) {
  Change change;
  change.remove = {"n01", "n05"};
  StepOptions options;
  options.min_age = 600;
  options.last_change_age = 100;
  const StepPlan p = steps_of(testing::equal_arcs(12), change, options, fleet());
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_NEAR(p.steps[0].start, 500, 1e-9);
  EXPECT_NEAR(p.steps[0].seconds, 8000, 1e-6);
  EXPECT_NEAR(p.steps[1].start, 500 + 8000 + 600, 1e-6);
  EXPECT_NEAR(p.seconds, 500 + 8000 + 600 + 8000, 1e-6);
  options.last_change_age = 3600;
  EXPECT_EQ(steps_of(testing::equal_arcs(12), change, options, fleet()).steps[0].start, 0);
}

ClusterMap racked(std::uint32_t nodes, std::uint32_t racks) {
  auto list = testing::nodes(nodes);
  for (std::size_t i = 0; i < list.size(); ++i) list[i].rack = "r" + std::to_string(i % racks);
  return testing::hashed_ring(list, 32, racks, Across::rack);
}

TEST(Limits, of_racks_set_the_pace_where_they_are_the_tighter) {
  Change change;
  change.add = {named("x")};
  change.add[0].rack = "r3";  // a fourth rack takes from the three others
  CostOptions cost = fleet();
  cost.rack_bandwidth = 100 * MB;
  const StepPlan p = steps_of(racked(9, 3), change, {}, cost);
  ASSERT_EQ(p.steps.size(), 1u);
  EXPECT_EQ(p.steps[0].pace, "rack r3");
  EXPECT_NEAR(p.steps[0].seconds, p.bytes / (100 * MB), 1e-6);
  ASSERT_EQ(p.steps[0].racks.size(), 4u);
  EXPECT_NEAR(p.steps[0].racks[3].budget_used, 1, 1e-12);
}

TEST(Limits, of_racks_do_not_count_what_stays_within) {
  Change change;
  change.add = {named("x")};
  change.add[0].rack = "r1";  // with racks equal to copies, a rack's copies stay in it
  CostOptions cost = fleet();
  cost.rack_bandwidth = 1 * MB;
  const StepPlan p = steps_of(racked(9, 3), change, {}, cost);
  EXPECT_TRUE(p.steps[0].racks.empty());
  EXPECT_EQ(p.steps[0].pace, "x");
}

RC_GTEST_PROP(Limits, are_kept_by_every_node_and_rack_and_met_by_the_one_that_sets_the_pace, ()) {
  const auto nodes = *rc::gen::inRange<std::uint32_t>(6, 12);
  CostOptions cost = fleet();
  cost.rack_bandwidth = *rc::gen::inRange(50, 2000) * MB;
  Change change;
  change.add = {named("x"), named("y")};
  for (NewNode& n : change.add) n.rack = "r" + std::to_string(*rc::gen::inRange(0, 5));
  change.remove = {"n00"};
  const StepPlan p =
      steps_of(racked(nodes, 3), change, in_flight(*rc::gen::inRange<std::uint64_t>(1, 4)), cost);
  for (const Step& step : p.steps) {
    double most = 0;
    for (const StepLoad& l : step.nodes) {
      RC_ASSERT(std::max(l.send_rate, l.receive_rate) <= cost.node_bandwidth * (1 + 1e-12));
      most = std::max(most, l.budget_used);
    }
    for (const RackLoad& rack : step.racks) {
      RC_ASSERT(rack.rate <= cost.rack_bandwidth * (1 + 1e-12));
      most = std::max(most, rack.budget_used);
    }
    RC_ASSERT(std::abs(most - 1) < 1e-9);
  }
}

ClusterMap redis() {
  auto p = testing::parts("redis-cluster",
                          {node("a"), node("b"), node("c"), node("ra"), node("rb"), node("rc")}, 2);
  p.placement.slots = 16384;
  p.placement.table = {{{5460}, {0, 3}}, {{10922}, {1, 4}}, {{16383}, {2, 5}}};
  return testing::map_of(std::move(p));
}

TEST(Tables, of_slots_move_each_slot_once_whatever_the_steps) {
  Change change;
  change.add = {named("d"), named("e")};
  change.remove = {"b"};
  const StepPlan p = steps_of(redis(), change);
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.moved, moved_at_once(p));
  for (const Transfer& t : p.steps[0].transfers) EXPECT_EQ(t.to, "d");
  for (const Transfer& t : p.steps[1].transfers) EXPECT_EQ(t.to, "e");
}

// Random owners on distinct nodes.
std::vector<std::vector<NodeIndex>> random_rows(std::uint32_t rows, std::uint32_t copies, std::uint32_t nodes,
                                                std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<NodeIndex>> out(rows);
  for (auto& owners : out)
    while (owners.size() < copies) {
      const auto n = static_cast<NodeIndex>(rng.next() % nodes);
      if (std::find(owners.begin(), owners.end(), n) == owners.end()) owners.push_back(n);
    }
  return out;
}

std::size_t racks_of(const ClusterMap& map, std::size_t row) {
  std::set<std::string> racks;
  for (NodeIndex n : map.placement().table[row].owners)
    racks.insert(group_name(map.nodes()[n], Across::rack));
  return racks.size();
}

RC_GTEST_PROP(Tables, of_partitions_move_each_copy_once_and_stay_as_far_apart, ()) {
  const auto copies = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto nodes = *rc::gen::inRange<std::uint32_t>(5, 9);
  auto list = testing::nodes(nodes);
  for (std::size_t i = 0; i < list.size(); ++i) list[i].rack = "r" + std::to_string(i % 4);
  const ClusterMap before = testing::partitions(
      list, random_rows(48, copies, nodes, *rc::gen::arbitrary<std::uint64_t>()), Across::rack);
  Change change;
  change.add = {named("x"), named("y")};
  change.add[0].rack = "r1";
  change.add[1].rack = "r2";
  change.remove = {"n02"};
  change.weight = {{"n01", 2}};
  const StepPlan p = steps_of(before, change, in_flight(*rc::gen::inRange<std::uint64_t>(1, 4)));
  RC_ASSERT(p.moved == moved_at_once(p));
  RC_ASSERT(testing::finding(p.warnings, "not-one-by-one") == nullptr);
  for (std::size_t row = 0; row < 48; ++row) {
    const std::size_t least = std::min(racks_of(p.maps.front(), row), racks_of(p.maps.back(), row));
    for (const ClusterMap& map : p.maps) RC_ASSERT(racks_of(map, row) >= least);
  }
}

TEST(Tables, of_two_maps_fill_one_node_at_a_time) {
  const ClusterMap before = testing::partitions(testing::nodes(3), {{0}, {0}, {0}, {1}, {1}, {2}});
  const ClusterMap after = testing::partitions(testing::nodes(3), {{0}, {2}, {1}, {1}, {1}, {0}});
  const StepPlan p = plan_steps(before, after, {}, {}, {}, 1);
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.steps[2].actions, std::vector<std::string>{"move parts to n02"});
  ASSERT_EQ(p.steps[2].transfers.size(), 1u);
  EXPECT_EQ(p.steps[2].transfers[0].to, "n02");
  EXPECT_EQ(p.moved, moved_at_once(p));
}

TEST(StepLoads, a_node_that_gives_and_takes_stores_both_until_the_step_is_over) {
  const ClusterMap before = testing::partitions(testing::nodes(2), {{0}, {0}, {1}, {1}});
  const ClusterMap after = testing::partitions(testing::nodes(2), {{1}, {0}, {0}, {1}});
  CostOptions cost;
  cost.utilisation = 0.8;
  const StepPlan p = plan_steps(before, after, {}, cost, in_flight(2), 1);
  ASSERT_EQ(p.steps.size(), 1u);
  const StepLoad& l = load(p.steps[0], "n00");
  EXPECT_EQ(l.stored_before, l.stored_after);
  EXPECT_NEAR(l.stored_peak.value(), 0.75, 1e-9);
  EXPECT_NEAR(*l.utilisation_peak, 1.2, 1e-9);
  ASSERT_NE(testing::finding(p.warnings, "over-full-meanwhile"), nullptr);
  EXPECT_EQ(testing::finding(p.warnings, "over-full-meanwhile")->subject, "n00");
}

TEST(StepLoads, requests_follow_the_first_owner_and_their_peak_may_lie_in_between) {
  Change change;
  change.remove = {"n01", "n02"};
  const StepPlan p = steps_of(testing::equal_arcs(4), change);
  const auto peak = [&](const std::string& name) {
    return *std::find_if(p.peaks.begin(), p.peaks.end(), [&](const PeakLoad& l) { return l.name == name; });
  };
  EXPECT_NEAR(peak("n02").first_before.value(), 0.25, 1e-9);
  EXPECT_NEAR(peak("n02").first_peak.value(), 0.5, 1e-9) << "it takes n01's arc before it leaves";
  EXPECT_EQ(peak("n02").first_after, Share{});
  EXPECT_NEAR(peak("n03").first_after.value(), 0.75, 1e-9);
}

TEST(WayBack, names_the_change_that_leads_to_the_map_before_and_what_it_moves) {
  const StepPlan p = steps_of(testing::hashed_ring(testing::nodes(5), 64, 2), five_changes());
  const std::vector<std::vector<std::string>> words = {{"--remove", "x"},
                                                       {"--remove", "y"},
                                                       {"--replace", "other=n02"},
                                                       {"--weight", "n01=1"},
                                                       {"--add", "n00"}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(p.steps[i].back.words, words[i]);
    EXPECT_EQ(p.steps[i].back.moved, p.steps[i].moved) << "copies that came must go back";
  }
}

TEST(WayBack, of_given_tokens_lists_them_and_of_tables_is_the_map_before) {
  Change change;
  change.remove = {"n03"};
  const StepPlan ring = steps_of(testing::equal_arcs(4), change);
  EXPECT_EQ(ring.steps[0].back.words, (std::vector<std::string>{"--add", "n03,tokens=ffffffffffffffff"}));
  EXPECT_TRUE(steps_of(redis(),
                       [] {
                         Change c;
                         c.remove = {"b"};
                         return c;
                       }())
                  .steps[0]
                  .back.words.empty());
}

TEST(Usefulness, tells_the_pairs_that_no_share_asked_for) {
  Change change;
  change.add = {named("n10")};
  const ClusterMap before = testing::modulo(10);
  const Diff d = diff(compile(before), compile(testing::applied(before, change)), 1);
  const Usefulness use = usefulness(d);
  EXPECT_NEAR(use.useful.value(), 1.0 / 11, 1e-9);
  EXPECT_NEAR(use.useless.value(), 9.0 / 11, 1e-9);
  for (const Transfer& t : use.pairs) EXPECT_NE(t.to, "n10");
  EXPECT_EQ(use.untold, Share{});
}

TEST(Usefulness, of_a_node_that_leaves_is_told_by_those_who_send_though_they_grow) {
  const auto map = testing::map_of(
      testing::parts("twemproxy-ketama", {node("a", 3), node("b", 3), node("e"), node("c", 4)}));
  Change change;
  change.remove = {"e"};
  const Diff d = diff(compile(map), compile(testing::applied(map, change)), 1);
  const Usefulness use = usefulness(d);
  EXPECT_GT(use.useless.units, 0);
  EXPECT_EQ(use.untold, Share{});
  for (const Transfer& t : use.pairs) EXPECT_NE(t.from, "e");
}

TEST(StepLoads, a_replaced_node_sends_nothing) {
  Change change;
  change.replace = {{"n02", named("fresh")}};
  const StepPlan p = steps_of(testing::equal_arcs(6, 3), change);
  for (const Transfer& t : p.steps[0].transfers) {
    EXPECT_EQ(t.to, "fresh");
    EXPECT_NE(t.from, "n02");
  }
  EXPECT_NEAR(p.steps[0].moved.value(), 0.5, 1e-9);
}

RC_GTEST_PROP(Usefulness, pairs_and_the_untold_rest_make_up_what_is_useless, ()) {
  const auto nodes = *rc::gen::inRange<std::uint32_t>(3, 8);
  const ClusterMap before = testing::partitions(
      testing::nodes(nodes), random_rows(32, 2, nodes, *rc::gen::arbitrary<std::uint64_t>()));
  const ClusterMap after = testing::partitions(
      testing::nodes(nodes), random_rows(32, 2, nodes, *rc::gen::arbitrary<std::uint64_t>()));
  const Diff d = diff(compile(before), compile(after), 1);
  const Usefulness use = usefulness(d);
  Share told;
  for (const Transfer& t : use.pairs) told += t.share;
  RC_ASSERT(told + use.untold == d.moved - d.least);
  RC_ASSERT(use.untold.units >= 0);
}

}  // namespace
}  // namespace arcwise
