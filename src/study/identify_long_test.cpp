#include "model/long_testing.hpp"
#include "study/identify_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

// A step that meets points computed, drawn for each key, stored as tokens and as tables.
TEST(identify, finds_every_row_by_three_hundred_samples_of_which_a_fifth_is_held_out) {
  for (std::size_t i = 0; i < recipes().size(); i += every(11)) {
    const Recipe& recipe = recipes()[i];
    if (!recipe.no_placement.empty()) continue;
    const auto parts = cluster_of(recipe);
    const auto samples = observe(placed(parts), sample_count, 7);
    const IdentifyReport report = identify(known_of(parts), samples, {});
    EXPECT_EQ(report.chosen_by, 240u);
    EXPECT_EQ(report.held_out, 60u);
    const Match* match = match_of(report, recipe.name);
    ASSERT_TRUE(match) << recipe.name << " not in " << names(report.found) << " near "
                       << names(report.near_misses);
    EXPECT_EQ(match->mismatches, 0u) << recipe.name;
    EXPECT_EQ(match->held_out_mismatches, 0u) << recipe.name;
  }
}

TEST(identify, finds_every_row_with_two_per_cent_wrong_samples) {
  for (std::size_t i = every(4) - 1; i < recipes().size(); i += every(11)) {
    const Recipe& recipe = recipes()[i];
    if (!recipe.no_placement.empty()) continue;
    const auto parts = cluster_of(recipe);
    auto samples = observe(placed(parts), sample_count, 8);
    spoil(samples, parts.nodes.size(), sample_count / 50, 9);
    const IdentifyReport report = identify(known_of(parts), samples, {});
    const Match* match = match_of(report, recipe.name);
    ASSERT_TRUE(match) << recipe.name << " not in " << names(report.found) << " near "
                       << names(report.near_misses);
    EXPECT_EQ(match->mismatches + match->held_out_mismatches, sample_count / 50) << recipe.name;
    EXPECT_EQ(report.wrong.size(), 5u);
  }
}

}  // namespace
}  // namespace arcwise
