// A cache in front of a database, while keys change their node.
#include <gtest/gtest.h>

#include <cmath>

#include "study/steps_testing.hpp"

namespace arcwise {
namespace {

using testing::eleventh;
using testing::finding;
using testing::named;
using testing::steps_of;

StepOptions cache(double hits, double requests = 0, double limit = 0) {
  StepOptions options;
  options.hit_ratio = hits;
  options.requests = requests;
  options.database_limit = limit;
  return options;
}

TEST(Cache, an_eleventh_node_takes_95_percent_of_hits_to_86_and_the_database_to_2_7_times) {
  const StepPlan p = steps_of(testing::equal_arcs(10), eleventh(), cache(0.95, 100'000));
  const StepCache& c = *p.steps[0].cache;
  EXPECT_NEAR(c.cold.value(), 1.0 / 11, 1e-12);
  EXPECT_NEAR(c.hit_ratio_after, 0.863636, 1e-6);
  EXPECT_NEAR(c.misses_factor, 2.727273, 1e-6);
  EXPECT_NEAR(c.database_warm, 5'000, 1e-6);
  EXPECT_NEAR(c.database_after, 13'636.36, 0.01);
  EXPECT_EQ(finding(p.warnings, "database-limit"), nullptr);
}

TEST(Cache, a_database_limit_asks_for_as_many_pieces_as_keep_it) {
  StepOptions options = cache(0.95, 100'000, 10'000);
  options.refill = 60;
  const StepPlan p = steps_of(testing::equal_arcs(10), eleventh(), options);
  const StepCache& c = *p.steps[0].cache;
  EXPECT_EQ(c.pieces, 2u);
  EXPECT_LE(100'000 * (1 - 0.95 * (1 - c.cold.value() / 2)), 10'000);
  EXPECT_NEAR(c.ramp_seconds, 60 * 0.95 / 11 / 0.05, 1e-6);
  EXPECT_NEAR(c.refill_seconds, 60 * std::log(20), 1e-6);
  ASSERT_NE(finding(p.warnings, "database-limit"), nullptr);
  EXPECT_EQ(finding(p.warnings, "database-limit")->message,
            "the change: the database gets 13636 requests/s right after it, over its limit of 10000");
  EXPECT_EQ(
      finding(p.warnings, "database-limit")->advice,
      "change weights little by little instead, in 2 pieces, each when the one before is warm, or evenly "
      "over 104 s");
}

TEST(Cache, a_limit_below_the_warm_load_has_no_remedy_in_steps) {
  const StepPlan p = steps_of(testing::equal_arcs(10), eleventh(), cache(0.95, 100'000, 4'000));
  EXPECT_EQ(p.steps[0].cache->pieces, 0u);
  EXPECT_EQ(p.steps[0].cache->ramp_seconds, 0);
}

TEST(Cache, what_is_cold_from_the_step_before_counts_by_its_age) {
  Change change;
  change.remove = {"n01", "n03"};
  StepOptions options = cache(0.9, 1000);
  options.keys = 60'000;  // asked for every 60 s
  options.min_age = 60;
  const StepPlan p = steps_of(testing::equal_arcs(5), change, options);
  ASSERT_EQ(p.steps.size(), 2u);
  const double left = 0.2 * std::exp(-1.0);
  EXPECT_NEAR(p.steps[0].cache->hit_ratio_before, 0.9, 1e-12);
  EXPECT_NEAR(p.steps[1].cache->hit_ratio_before, 0.9 * (1 - left), 1e-9);
  EXPECT_NEAR(p.steps[1].cache->hit_ratio_after, 0.9 * (1 - left) * 0.8, 1e-9);
}

TEST(Cache, a_key_whose_new_first_owner_held_a_copy_is_not_cold) {
  Change change;
  change.remove = {"n01"};
  EXPECT_EQ(steps_of(testing::equal_arcs(5, 2), change, cache(0.9)).steps[0].cache->cold, Share{});
}

TEST(Cache, a_replaced_machine_is_cold) {
  Change change;
  change.replace = {{"n01", named("fresh")}};
  EXPECT_NEAR(steps_of(testing::equal_arcs(5), change, cache(0.9)).steps[0].cache->cold.value(), 0.2, 1e-9);
}

}  // namespace
}  // namespace arcwise
