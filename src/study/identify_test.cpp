#include <algorithm>
#include <set>

#include "study/binomial.hpp"
#include "study/identify_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

TEST(identify, finds_no_row_where_owners_are_drawn_by_lot) {
  ClusterMap::Parts known;
  known.nodes = servers(5);
  SampleKeys keys(3);
  Rng rng(3);
  std::vector<ObservedKey> samples;
  while (samples.size() < sample_count)
    samples.push_back({std::string(keys.next()), static_cast<NodeIndex>(rng.below(5))});
  const IdentifyReport report = identify(known, samples, {});
  EXPECT_TRUE(report.found.empty()) << names(report.found);
  EXPECT_TRUE(report.near_misses.empty()) << names(report.near_misses);
  EXPECT_GT(report.tried, 500u);
}

TEST(identify, rows_that_agree_on_all_samples_are_one_group_and_a_key_tells_them_apart_where_there_is_one) {
  ClusterMap::Parts known;
  known.nodes = servers(3);
  auto parts = testing::parts("libketama", known.nodes);
  const auto samples = observe(placed(parts), sample_count, 4);
  const IdentifyReport report = identify(known, samples, {});
  const Match *lib = match_of(report, "libketama"), *go = match_of(report, "go-ketama");
  ASSERT_TRUE(lib && go);
  EXPECT_EQ(lib->samples_group, go->samples_group);
  EXPECT_EQ(lib->keys_group, go->keys_group);  // they are one function
  EXPECT_EQ(report.further_keys, 20'000u);
}

TEST(identify, a_telling_key_has_different_owners_among_the_rows_found) {
  ClusterMap::Parts known;
  known.nodes = servers(2);
  auto parts = testing::parts("ring", known.nodes, 1, Across::node, 1);
  parts.placement.tokens = 1;
  // So few that rings of other token counts and hashes explain them too.
  const auto samples = observe(placed(parts), 60, 5);
  const IdentifyReport report = identify(known, samples, {});
  ASSERT_GE(report.found.size(), 1u);
  for (const auto& telling : report.telling) {
    ASSERT_EQ(telling.owners.size(), report.found.size());
    EXPECT_GT(std::set<NodeIndex>(telling.owners.begin(), telling.owners.end()).size(), 1u) << telling.key;
  }
}

TEST(identify, too_few_samples_find_nothing_and_say_how_many_would_do) {
  ClusterMap::Parts known;
  known.nodes = servers(3);
  const auto samples = observe(placed(parts("libketama", known.nodes)), 6, 4);
  const IdentifyReport report = identify(known, samples, {});
  EXPECT_TRUE(report.found.empty());
  EXPECT_FALSE(report.near_misses.empty());
  EXPECT_GT(report.enough, 6u);
  const auto enough = observe(placed(parts("libketama", known.nodes)), report.enough + 2, 4);
  EXPECT_TRUE(match_of(identify(known, enough, {}), "libketama"));
}

TEST(identify, sees_that_the_system_sorts_its_list) {
  ClusterMap::Parts known;
  known.nodes = servers(5);
  auto sorted = known.nodes;
  std::reverse(sorted.begin(), sorted.end());
  const Placement placement = placed(parts("mcrouter-ch3", sorted));
  auto samples = observe(placement, sample_count, 6);
  for (ObservedKey& s : samples) s.node = 4 - s.node;
  const auto found = identify(known, samples, {});
  const Match* match = match_of(found, "mcrouter-ch3");
  ASSERT_TRUE(match);
  EXPECT_TRUE(match->how.sorted);
}

TEST(identify, names_rows_that_it_cannot_try_and_why) {
  ClusterMap::Parts known;
  known.nodes = servers(3);
  known.nodes[0].weight = 1.5;
  const auto samples = observe(placed(parts("ring", known.nodes)), 50, 6);
  std::set<std::string_view> left;
  const auto found = identify(known, samples, {});
  for (const auto& row : found.left_out) {
    left.insert(row.recipe);
    EXPECT_FALSE(row.why.empty()) << row.recipe;
  }
  for (const char* name : {"twemproxy-random", "redis-cluster", "cassandra-murmur3", "libketama", "ceph"})
    EXPECT_TRUE(left.contains(name)) << name;
  EXPECT_FALSE(left.contains("ring"));
}

TEST(identify, every_try_names_settings_that_differ_from_the_other_tries) {
  ClusterMap::Parts known;
  known.nodes = servers(3);
  const auto samples = observe(placed(parts("ring", known.nodes)), 50, 6);
  const SampleTraits traits = traits_of(known, samples);
  for (const Recipe& recipe : recipes()) {
    std::set<std::vector<std::pair<std::string, std::string>>> seen;
    for (PlacementSettings& settings : tries_of(recipe, known, traits).settings) {
      const Candidate how{settings, false};
      EXPECT_TRUE(seen.insert(said(how)).second) << recipe.name;
      EXPECT_TRUE(map_for(how, known).ok()) << recipe.name << to_string(map_for(how, known).error());
    }
  }
}

TEST(identify, says_what_is_odd_about_the_samples) {
  ClusterMap::Parts known;
  known.nodes = servers(4);
  auto samples = observe(placed(parts("libketama", known.nodes)), sample_count, 6);
  const auto rules = [&] {
    std::set<std::string> out;
    for (const Finding& f : identify(known, samples, {}).findings) out.insert(f.rule);
    return out;
  };
  EXPECT_TRUE(rules().empty());
  samples.push_back(samples.front());
  EXPECT_TRUE(rules().empty());
  samples.back().node = (samples.back().node + 1) % 4;
  EXPECT_EQ(rules(), std::set<std::string>{"sample-conflict"});
  samples.pop_back();
  std::erase_if(samples, [](const ObservedKey& s) { return s.node == 2; });
  EXPECT_EQ(rules(), std::set<std::string>{"node-unseen"});
  std::erase_if(samples, [](const ObservedKey& s) { return s.node != 1; });
  EXPECT_EQ(rules(), std::set<std::string>{"samples-one-node"});
}

TEST(binomial, tails_are_those_of_small_cases_counted_by_hand) {
  EXPECT_NEAR(binomial_at_least(2, 1, 0.5), 0.75, 1e-12);
  EXPECT_NEAR(binomial_at_least(3, 3, 0.2), 0.008, 1e-12);
  EXPECT_NEAR(binomial_at_least(10, 0, 0.3), 1, 1e-12);
  EXPECT_EQ(binomial_at_least(10, 11, 0.3), 0);
  EXPECT_EQ(binomial_rare(3, 0.2, 0.01), 3u);
  EXPECT_EQ(binomial_rare(3, 0.2, 0.001), 4u);
  EXPECT_EQ(binomial_rare(2, 0.5, 0.8), 1u);
}

}  // namespace
}  // namespace arcwise
