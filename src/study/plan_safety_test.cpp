// Who really holds data while a step runs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "study/rng.hpp"
#include "study/steps_testing.hpp"

namespace arcwise {
namespace {

using testing::finding;
using testing::named;
using testing::steps_of;

Change replacing(const std::string& old) {
  Change change;
  change.replace = {{old, named("fresh")}};
  return change;
}
Change removing(std::vector<std::string> names) {
  Change change;
  change.remove = std::move(names);
  return change;
}
StepOptions with_down(std::vector<std::string> names) {
  StepOptions options;
  options.down = std::move(names);
  return options;
}

TEST(StepSafety, a_replaced_node_is_gone_from_the_beginning) {
  const StepPlan p = steps_of(testing::equal_arcs(6, 3), replacing("n02"));
  const StepSafety& safe = p.steps[0].safety;
  EXPECT_EQ(safe.before.fewest, 3u);
  EXPECT_EQ(safe.during.fewest, 2u);
  EXPECT_EQ(safe.after.fewest, 3u);
  EXPECT_EQ(safe.during.below_quorum, Share{});
  // n02 has copies of three arcs, n01 and n03 of two of them each: with one of these down too, those fall
  // below.
  EXPECT_EQ(safe.during.worst, "n01");
  EXPECT_NEAR(safe.during.worst_share.value(), 2.0 / 6, 1e-9);
  EXPECT_EQ(safe.before.worst, "") << "one of three may fail";
  EXPECT_TRUE(p.warnings.empty());
}

TEST(StepSafety, a_node_that_leaves_serves_until_the_end) {
  const StepPlan p = steps_of(testing::equal_arcs(6, 3), removing({"n02"}));
  EXPECT_EQ(p.steps[0].safety.during.fewest, 3u);
  EXPECT_EQ(p.steps[0].safety.during.worst, "");
  EXPECT_EQ(p.steps[0].safety.lost, Share{});
}

TEST(StepSafety, counts_nodes_that_are_down_now) {
  const StepPlan p = steps_of(testing::equal_arcs(6, 3), replacing("n02"), with_down({"n03"}));
  const StepSafety& safe = p.steps[0].safety;
  EXPECT_EQ(safe.before.fewest, 2u);
  EXPECT_EQ(safe.during.fewest, 1u);
  EXPECT_NEAR(safe.during.below_quorum.value(), 2.0 / 6, 1e-9);
  EXPECT_EQ(safe.before.below_quorum, Share{});
  ASSERT_NE(finding(p.warnings, "below-quorum"), nullptr);
  EXPECT_EQ(finding(p.warnings, "below-quorum")->message,
            "the change: 33.3 % of the data is below quorum while it runs");
}

TEST(StepSafety, the_only_copy_on_a_replaced_node_is_an_error_unless_it_is_a_cache) {
  const StepPlan p = steps_of(testing::equal_arcs(6), replacing("n02"));
  EXPECT_NEAR(p.steps[0].safety.lost.value(), 1.0 / 6, 1e-9);
  ASSERT_NE(finding(p.warnings, "range-without-holder"), nullptr);
  EXPECT_EQ(finding(p.warnings, "range-without-holder")->severity, Finding::Severity::error);
  StepOptions cache;
  cache.hit_ratio = 0.9;
  EXPECT_EQ(
      finding(steps_of(testing::equal_arcs(6), replacing("n02"), cache).warnings, "range-without-holder")
          ->severity,
      Finding::Severity::warning);
}

TEST(StepSafety, a_machine_with_another_address_under_the_same_name_counts_as_replaced) {
  auto parts = testing::equal_arcs(4, 2).parts();
  parts.nodes[0].address = "10.0.0.1:1";
  Change change;
  change.replace = {{"n00", named("n00")}};
  change.replace[0].second.address = "10.0.0.9:1";
  const StepPlan p = steps_of(testing::map_of(parts), change);
  EXPECT_EQ(p.moved, Share{});
  EXPECT_EQ(p.steps[0].safety.during.fewest, 1u);
}

TEST(StepSafety, sees_ranges_on_fewer_racks) {
  std::vector<Node> nodes = testing::nodes(4);
  for (std::size_t i = 0; i < 4; ++i) nodes[i].rack = i < 2 ? "a" : "b";
  const ClusterMap before = testing::partitions(nodes, {{0, 2}, {1, 3}});
  const ClusterMap after = testing::partitions(nodes, {{0, 1}, {1, 3}});
  const StepSafety safe = plan_steps(before, after, {}, {}, {}, 1).steps[0].safety;
  EXPECT_EQ(safe.during.fewer_racks, Share{});
  EXPECT_NEAR(safe.after.fewer_racks.value(), 0.5, 1e-9);
  EXPECT_EQ(safe.after.fewer_hosts, Share{});
}

// What one phase of one step comes to, row by row.
struct Counted {
  std::size_t fewest = 99;
  double below = 0, lost = 0, worst = 0;
};
std::vector<std::string> names(const ClusterMap& map, std::size_t row, const std::set<std::string>& missing) {
  std::vector<std::string> out;
  for (NodeIndex n : map.placement().table[row].owners)
    if (!missing.count(map.nodes()[n].name)) out.push_back(map.nodes()[n].name);
  return out;
}
// `before`, `filled_without`: a row that nobody holds there, those aside, is held by nobody after.
Counted count(const ClusterMap& map, const std::set<std::string>& missing, const ClusterMap* before = nullptr,
              const std::set<std::string>& filled_without = {}) {
  Counted out;
  const auto& table = map.placement().table;
  std::map<std::string, double> breaks;
  for (std::size_t r = 0; r < table.size(); ++r) {
    const TableRow& row = table[r];
    std::vector<std::string> held = names(map, r, missing);
    if (before && names(*before, r, filled_without).empty()) held.clear();
    out.fewest = std::min(out.fewest, held.size());
    const std::size_t needed = row.owners.size() / 2 + 1;
    if (held.size() < needed) out.below += 1;
    if (held.empty()) out.lost += 1;
    if (held.size() == needed)
      for (const std::string& name : held) out.worst = std::max(out.worst, ++breaks[name]);
  }
  const auto rows = static_cast<double>(table.size());
  out.worst = (out.worst + out.below) / rows;
  out.below /= rows;
  out.lost /= rows;
  return out;
}

RC_GTEST_PROP(StepSafety, is_what_counting_row_by_row_gives, ()) {
  const auto copies = *rc::gen::inRange<std::uint32_t>(1, 5);
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<std::vector<NodeIndex>> rows(16);
  for (auto& owners : rows)
    while (owners.size() < copies) {
      const auto n = static_cast<NodeIndex>(rng.next() % 6);
      if (std::find(owners.begin(), owners.end(), n) == owners.end()) owners.push_back(n);
    }
  const ClusterMap before = testing::partitions(testing::nodes(6), rows);
  const std::string down = "n0" + std::to_string(rng.next() % 6);
  const StepPlan p = steps_of(before, replacing("n02"), with_down({down}));
  const StepSafety& safe = p.steps[0].safety;
  const auto same = [](const SafetyPhase& phase, const Counted& expected) {
    RC_ASSERT(phase.fewest == expected.fewest);
    RC_ASSERT(std::abs(phase.below_quorum.value() - expected.below) < 1e-9);
    RC_ASSERT(std::abs(phase.without.value() - expected.lost) < 1e-9);
    RC_ASSERT(std::abs(phase.worst_share.value() - expected.worst) < 1e-9);
  };
  same(safe.before, count(p.maps[0], {down}));
  same(safe.during, count(p.maps[0], {down, "n02"}));
  same(safe.after, count(p.maps[1], {down}, &p.maps[0], {down, "n02"}));
}

}  // namespace
}  // namespace arcwise
