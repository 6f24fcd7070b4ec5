#include "arcwise/identify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "arcwise/placement.hpp"
#include "study/binomial.hpp"
#include "study/identify_tries.hpp"
#include "study/risk_maps.hpp"
#include "study/rng.hpp"
#include "study/sample_keys.hpp"

namespace arcwise {
namespace {

constexpr std::size_t sample_count = 300;

// Not in order of name; one at a port that some leave out.
std::vector<Node> servers(std::size_t count) {
  std::vector<Node> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(testing::node("10.0." + std::to_string(9 - i) + ".7:1121" + std::to_string(1 + i % 2)));
  return out;
}

void add_tokens(std::vector<Node>& nodes, unsigned shift) {
  for (Node& n : nodes) {
    for (int i = 0; i < 16; ++i)
      n.tokens.push_back({u128{key_hash(KeyHashId::md5, n.name + "/" + std::to_string(i))} << shift});
    std::sort(n.tokens.begin(), n.tokens.end());
  }
}

void add_table(ClusterMap::Parts& p) {
  const Recipe& recipe = *p.placement.recipe;
  if (recipe.key_prep == KeyPrep::redis_tag) p.placement.slots = 16384;
  if (recipe.slots == SlotCount::listed)
    p.placement.slots = recipe.default_slots ? recipe.default_slots : 256;
  const TokenSpace space = p.placement.slots
                               ? TokenSpace::slots(p.placement.slots)
                               : TokenSpace::unsigned_bits(recipe.ring_bits ? recipe.ring_bits : 64);
  constexpr std::size_t rows = 128;
  for (std::size_t r = 0; r < rows; ++r) {
    const u128 upto =
        r + 1 == rows ? space.last : (space.last / rows + (p.placement.slots ? 1 : 0)) * (r + 1) - 1;
    const auto owner = static_cast<NodeIndex>(Splitmix64(r).next() % p.nodes.size());
    p.placement.table.push_back({{upto}, {owner}});
  }
  if (recipe.name == "riak" || recipe.name == "swift" || recipe.name == "ceph-pgs") {
    p.placement.slots = rows;
    for (std::size_t r = 0; r < rows; ++r) p.placement.table[r].upto = {r};
  }
}

/// A cluster of each row, with the state that the row needs.
ClusterMap::Parts cluster_of(const Recipe& recipe, std::size_t count = 4) {
  auto p = testing::parts(recipe.name, servers(count));
  p.placement.tokens = recipe.default_tokens;
  if (recipe.points == PointRule::given) add_tokens(p.nodes, recipe.ring_bits == 128 ? 63 : 0);
  if (recipe.points == PointRule::table) add_table(p);
  if (recipe.points != PointRule::table && recipe.slots == SlotCount::listed)
    for (std::size_t i = 0; i < p.nodes.size(); ++i) p.nodes[i].name = "osd." + std::to_string(i);
  if (recipe.points != PointRule::table && recipe.slots == SlotCount::listed) p.placement.slots = 128;
  return p;
}

/// Keys of the form that the recipe reads.
std::string key_for(const Placement& placement, SampleKeys& keys, Rng& rng) {
  std::string key(keys.next());
  const std::string_view rule = placement.map().placement().recipe->key_rule;
  if (rule == "riak" || rule == "swift") key = "a/b/" + key;
  if (!placement.reads(key)) key = std::to_string(rng.below(1'000'000'000));
  return key;
}

std::vector<ObservedKey> observe(const Placement& placement, std::size_t count, std::uint64_t seed) {
  SampleKeys keys(seed);
  Rng rng(seed);
  std::vector<ObservedKey> out;
  std::array<NodeIndex, max_replicas> owners;
  while (out.size() < count) {
    const std::string key = key_for(placement, keys, rng);
    if (placement.owners({key, placement.hash(key), {}}, owners) > 0) out.push_back({key, owners[0]});
  }
  return out;
}

/// A share of the samples name another node.
void spoil(std::vector<ObservedKey>& samples, std::size_t nodes, std::size_t wrong, std::uint64_t seed) {
  Rng rng(seed);
  std::set<std::size_t> which;
  while (which.size() < wrong) which.insert(rng.below(samples.size()));
  for (std::size_t i : which)
    samples[i].node = static_cast<NodeIndex>((samples[i].node + 1 + rng.below(nodes - 1)) % nodes);
}

/// Nodes alone where the row needs no more; else the map with its stored state.
ClusterMap::Parts known_of(const ClusterMap::Parts& parts) {
  const Recipe& recipe = *parts.placement.recipe;
  if (recipe.points == PointRule::table || recipe.points == PointRule::given) return parts;
  ClusterMap::Parts known;
  known.nodes = parts.nodes;
  return known;
}

const Match* match_of(const IdentifyReport& report, std::string_view recipe) {
  for (const Match& match : report.found)
    if (match.how.placement.recipe->name == recipe) return &match;
  return nullptr;
}

std::string names(const std::vector<Match>& matches) {
  std::string out;
  for (const Match& m : matches) {
    out += std::string(m.how.placement.recipe->name) + " " + std::to_string(m.mismatches);
    for (const auto& [name, value] : said(m.how)) out += " " + name + "=" + value;
    out += "; ";
  }
  return out;
}

TEST(identify, finds_every_row_by_three_hundred_samples_of_which_a_fifth_is_held_out) {
  for (const Recipe& recipe : recipes()) {
    if (!recipe.no_placement.empty()) continue;
    const auto parts = cluster_of(recipe);
    const auto samples = observe(testing::placed(parts), sample_count, 7);
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
  for (const Recipe& recipe : recipes()) {
    if (!recipe.no_placement.empty()) continue;
    const auto parts = cluster_of(recipe);
    auto samples = observe(testing::placed(parts), sample_count, 8);
    spoil(samples, parts.nodes.size(), sample_count / 50, 9);
    const IdentifyReport report = identify(known_of(parts), samples, {});
    const Match* match = match_of(report, recipe.name);
    ASSERT_TRUE(match) << recipe.name << " not in " << names(report.found) << " near "
                       << names(report.near_misses);
    EXPECT_EQ(match->mismatches + match->held_out_mismatches, sample_count / 50) << recipe.name;
    EXPECT_EQ(report.wrong.size(), 5u);
  }
}

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
  const auto samples = observe(testing::placed(parts), sample_count, 4);
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
  const auto samples = observe(testing::placed(parts), 60, 5);
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
  const auto samples = observe(testing::placed(testing::parts("libketama", known.nodes)), 6, 4);
  const IdentifyReport report = identify(known, samples, {});
  EXPECT_TRUE(report.found.empty());
  EXPECT_FALSE(report.near_misses.empty());
  EXPECT_GT(report.enough, 6u);
  const auto enough =
      observe(testing::placed(testing::parts("libketama", known.nodes)), report.enough + 2, 4);
  EXPECT_TRUE(match_of(identify(known, enough, {}), "libketama"));
}

TEST(identify, sees_that_the_system_sorts_its_list) {
  ClusterMap::Parts known;
  known.nodes = servers(5);
  auto sorted = known.nodes;
  std::reverse(sorted.begin(), sorted.end());
  const Placement placement = testing::placed(testing::parts("mcrouter-ch3", sorted));
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
  const auto samples = observe(testing::placed(testing::parts("ring", known.nodes)), 50, 6);
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
  const auto samples = observe(testing::placed(testing::parts("ring", known.nodes)), 50, 6);
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
  auto samples = observe(testing::placed(testing::parts("libketama", known.nodes)), sample_count, 6);
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
