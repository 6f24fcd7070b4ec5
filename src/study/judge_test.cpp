#include <gmock/gmock.h>

#include "arcwise/ownership.hpp"
#include "study/ownership_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Observed loads(std::vector<std::optional<double>> bytes) {
  Observed observed;
  observed.load_bytes = std::move(bytes);
  return observed;
}

Judgement judged(const ClusterMap& map, const Observed& observed = Observed()) {
  const Placement placement = compile(map);
  return judge(placement, ownership(placement), by_chance(placement, 1), observed);
}

// 8 tokens a node in turn, all in one half of the circle: the node of the first token owns the other half as
// well.
ClusterMap crowded() {
  std::vector<Node> list = nodes(4);
  for (std::uint64_t t = 0; t < 32; ++t) list[t % 4].tokens.push_back({t << 58});
  return given_ring(std::move(list));
}

const double gb = 1e9;

TEST(Judge, blames_tokens_when_a_share_is_beyond_chance) {
  const Judgement j = judged(crowded(), loads({62 * gb, 12.5 * gb, 12.5 * gb, 12.5 * gb}));
  EXPECT_EQ(j.cause, ImbalanceCause::tokens);
  EXPECT_TRUE(j.tokens_beyond_chance);
  EXPECT_EQ(j.fullest_node, "n00");
  EXPECT_NEAR(j.load_max_over_mean, 62 / 24.875, 1e-9);
  EXPECT_LT(j.density_max_over_mean, 1.05);
  EXPECT_THAT(j.sentences.front(), HasSubstr("Tokens: 'n00' holds"));
  EXPECT_THAT(j.sentences, Contains(HasSubstr("capacity is used")));
  EXPECT_THAT(j.sentences, Contains(HasSubstr("Bytes follow shares")));
}

// n01 stores 3 GB and the others 1 GB each on a quarter of the space: 3 against a mean of 1.5.
TEST(Judge, blames_data_when_bytes_per_share_differ) {
  const Judgement j = judged(equal_arcs(4), loads({gb, 3 * gb, gb, gb}));
  EXPECT_EQ(j.cause, ImbalanceCause::data);
  EXPECT_FALSE(j.tokens_beyond_chance);
  EXPECT_EQ(j.density_node, "n01");
  EXPECT_NEAR(j.density_max_over_mean, 2, 1e-9);
  EXPECT_THAT(j.sentences.front(), HasSubstr("Data: 'n01' stores 2.00 times"));
}

TEST(Judge, blames_both_and_neither) {
  EXPECT_EQ(judged(crowded(), loads({62 * gb, 50 * gb, 12 * gb, 12 * gb})).cause, ImbalanceCause::both);
  const Judgement fine = judged(equal_arcs(4), loads({gb, 1.1 * gb, gb, 0.9 * gb}));
  EXPECT_EQ(fine.cause, ImbalanceCause::none);
  EXPECT_THAT(fine.sentences.front(), HasSubstr("Balanced: "));
}

// A quarter above the mean may be compaction, more is not. Loads 1.24 and 1.27 times the mean of eight nodes.
TEST(Judge, leaves_a_quarter_for_what_storage_engines_do) {
  const auto with = [](double first) {
    std::vector<std::optional<double>> bytes(8, (8 - first) / 7 * gb);
    bytes[0] = first * gb;
    return judged(equal_arcs(8), loads(bytes)).cause;
  };
  EXPECT_EQ(with(1.24), ImbalanceCause::none);
  EXPECT_EQ(with(1.27), ImbalanceCause::data);
}

TEST(Judge, says_when_no_load_was_seen) {
  for (const Observed& observed :
       {Observed(), loads({std::nullopt, std::nullopt, std::nullopt, std::nullopt}),
        loads({gb, std::nullopt, std::nullopt, std::nullopt}), loads({0, 0, 0, 0})}) {
    const Judgement j = judged(equal_arcs(4), observed);
    EXPECT_EQ(j.cause, ImbalanceCause::unknown_data);
    EXPECT_EQ(j.density_max_over_mean, 0.0);
    EXPECT_THAT(j.sentences, Contains(HasSubstr("No load was seen")));
    EXPECT_EQ(judged(crowded(), observed).cause, ImbalanceCause::tokens);
  }
}

TEST(Judge, ignores_nodes_without_load_and_joining_ones) {
  std::vector<Node> list = nodes(5);
  list[4].state = NodeState::joining;
  for (std::uint64_t n = 0; n < 4; ++n) list[n].tokens = {{(n + 1) << 62}};
  list[3].tokens = {{~std::uint64_t{0}}};
  const Judgement j = judged(given_ring(list), loads({gb, std::nullopt, gb, gb, 9 * gb}));
  EXPECT_EQ(j.cause, ImbalanceCause::none);
  EXPECT_NEAR(j.density_max_over_mean, 1, 1e-9);
  EXPECT_NEAR(j.load_max_over_mean, 1, 1e-9);
}

TEST(Judge, speaks_of_key_space_not_of_traffic) {
  for (const ClusterMap& map : {crowded(), equal_arcs(4), modulo(4)})
    EXPECT_THAT(judged(map).sentences.back(), HasSubstr("key space, not of traffic"));
}

TEST(Judge, puts_the_spread_beside_one_over_the_square_root_of_the_tokens) {
  const Judgement j = judged(hashed_ring(nodes(10), 16));
  EXPECT_THAT(j.sentences, Contains(HasSubstr("1/√V is 25 % for 16 tokens a node")));
}

// The one-token ring of ten nodes with 2.84 times the fair share at the fullest: chance does that, and it
// stays.
TEST(Judge, one_token_a_node_is_uneven_by_chance_and_more_tokens_are_the_cure) {
  std::vector<Node> list = nodes(10);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; const std::uint64_t share : {284u, 171u, 139u, 106u, 92u, 74u, 55u, 38u, 29u, 12u})
    list[i++].tokens = {{(sum += share) << 54}};
  const Judgement j = judged(given_ring(list));
  EXPECT_EQ(j.cause, ImbalanceCause::unknown_data);
  EXPECT_THAT(j.sentences.front(), HasSubstr("no more than chance explains"));
  EXPECT_THAT(j.sentences.front(), HasSubstr("More tokens or allocated ones"));
}

TEST(Judge, blames_the_assignment_of_slots) {
  auto p = parts("redis-cluster", nodes(2));
  p.placement.slots = 16384;
  p.placement.table = {{{12287}, {0}}, {{16383}, {1}}};
  Judgement j = judged(map_of(p));
  EXPECT_EQ(j.cause, ImbalanceCause::tokens);
  EXPECT_THAT(j.sentences.front(), HasSubstr("slots are assigned"));
  p.placement.table = {{{8191}, {0}}, {{12287}, {1}}, {{16383}, {}}};
  j = judged(map_of(p));
  EXPECT_THAT(j.sentences.front(), HasSubstr("25 % of key space has no owner"));
}

TEST(Judge, makes_no_claim_on_chance_for_listed_ranges) {
  const Judgement j = judged(table(nodes(2), {{{1}, {0}}, {{~std::uint64_t{0}}, {1}}}));
  EXPECT_FALSE(j.tokens_beyond_chance);
  EXPECT_THAT(j.sentences.front(), HasSubstr("do not tell what chance"));
}

}  // namespace
}  // namespace arcwise
