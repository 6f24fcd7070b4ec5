// Arcwise's allocator: how even clusters stay that grow by it, and the field that it searches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "arcwise/allocate.hpp"
#include "study/allocate_field.hpp"
#include "study/allocate_growing.hpp"
#include "study/rng.hpp"

namespace arcwise {
namespace {

struct Bound {
  std::uint32_t tokens;
  double most, least;
};

void expect_growth(std::uint32_t replicas, std::uint32_t from, std::uint32_t units, const Bound& bound) {
  const auto sizes = grow({replicas, bound.tokens, units}, arcwise_tokens);
  for (std::uint32_t n = from; n <= units; ++n) {
    EXPECT_LE(sizes[n - 1].most, bound.most) << n << " units of " << bound.tokens << " tokens";
    EXPECT_GE(sizes[n - 1].least, bound.least) << n << " units of " << bound.tokens << " tokens";
  }
}

// `allocate_bench` grows to 100 nodes, and with 32 tokens.
TEST(OwnAllocator, one_rack_with_three_copies_stays_even) {
  expect_growth(3, 12, 40, {4, 1.09, 0.87});
  expect_growth(3, 12, 32, {8, 1.045, 0.93});
  expect_growth(3, 12, 30, {16, 1.020, 0.97});
}

TEST(OwnAllocator, large_rings_stay_as_even) {
  expect_growth(3, 129, 150, {8, 1.045, 0.93});
}

TEST(OwnAllocator, a_rack_of_its_own_stays_even) {
  expect_growth(1, 4, 34, {4, 1.115, 0.88});
  expect_growth(1, 4, 34, {8, 1.055, 0.93});
  expect_growth(1, 4, 21, {16, 1.027, 0.965});
}

TEST(OwnAllocator, weights_are_kept_within_five_per_cent) {
  for (std::uint32_t replicas : {1U, 3U}) {
    AllocationRing ring;
    ring.replicas = replicas;
    for (std::uint32_t i = 0; i < 13; ++i) {
      const std::uint32_t weight = 1U << (i % 3);
      ring.join(i, weight, arcwise_tokens(ring, {i, static_cast<double>(weight), 16 * weight, 0}));
      if (i < 11) continue;
      EXPECT_LE(evenness_of(ring).most, 1.05) << replicas << " copies, " << i + 1 << " nodes";
      EXPECT_GE(evenness_of(ring).least, 0.95) << replicas << " copies, " << i + 1 << " nodes";
    }
  }
}

// Two joiners with one view choose the same places: the second is left with next to nothing, and as tokens do
// not move it stays so while others join.
TEST(SimulateGrowth, a_join_on_a_stale_view_costs_for_as_long_as_the_node_lives) {
  for (const Allocator allocator : {Allocator::arcwise, Allocator::cassandra}) {
    GrowthScenario scenario{30, 8, 3, true, allocator, {}, 1};
    const auto fresh = simulate_growth(scenario);
    scenario.stale_join = 15;
    const auto stale = simulate_growth(scenario);
    ASSERT_EQ(fresh.size(), 10U);
    EXPECT_EQ(stale[4].most, fresh[4].most);
    for (std::size_t i = 6; i < 10; ++i) {
      EXPECT_EQ(stale[i].nodes, 3 * (i + 1));
      EXPECT_LT(stale[i].least, 0.01);
      EXPECT_GT(fresh[i].least, 0.9);
    }
  }
}

AllocationRing random_ring(std::uint64_t seed, std::uint32_t replicas, std::uint32_t groups,
                           std::uint32_t units, std::uint32_t tokens) {
  Rng rng(seed);
  AllocationRing ring;
  ring.replicas = replicas;
  for (std::uint32_t u = 0; u < units; ++u) {
    std::vector<std::uint64_t> chosen;
    for (std::uint32_t t = 0; t < tokens; ++t) chosen.push_back(rng.next());
    ring.join(groups ? static_cast<std::uint32_t>(rng.below(groups)) : u, 1, chosen);
  }
  return ring;
}

TEST(OwnAllocator, random_tokens_are_mended_by_joins) {
  AllocationRing ring = random_ring(1, 3, 0, 6, 16);
  const double before = evenness_of(ring).most;
  for (std::uint32_t i = 6; i < 18; ++i) ring.join(i, 1, arcwise_tokens(ring, {i, 1, 16, 0}));
  EXPECT_GT(before, 1.1);
  EXPECT_LT(evenness_of(ring).most, 1.03);
}

RC_GTEST_PROP(OwnAllocator, tokens_are_as_many_as_asked_for_and_new, ()) {
  const auto replicas = *rc::gen::inRange(1U, 5U);
  const auto groups = *rc::gen::inRange(0U, 7U);
  const auto units = *rc::gen::inRange(1U, 10U);
  const auto tokens = *rc::gen::inRange(1U, 7U);
  const AllocationRing ring = random_ring(*rc::gen::arbitrary<std::uint64_t>(), replicas, groups, units, 3);
  const std::uint32_t group = groups ? groups - 1 : units;
  const auto chosen = arcwise_tokens(ring, {group, 1, tokens, 0});
  std::set<std::uint64_t> all(chosen.begin(), chosen.end());
  for (const HeldToken& t : ring.tokens) all.insert(t.at);
  RC_ASSERT(all.size() == ring.tokens.size() + tokens);
  RC_ASSERT(chosen == arcwise_tokens(ring, {group, 1, tokens, 0}));
}

// Against shares counted anew, with tokens that come and go.
RC_GTEST_PROP(TokenField, what_units_hold_is_kept_up_to_date, ()) {
  const auto replicas = *rc::gen::inRange(1U, 5U);
  const auto groups = *rc::gen::inRange(0U, 7U);
  const auto units = *rc::gen::inRange(1U, 8U);
  const std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();
  const AllocationRing ring = random_ring(seed, replicas, groups, units, 4);
  const std::uint32_t group = groups ? *rc::gen::inRange(0U, groups) : units;
  TokenField field(ring, group);
  Rng rng(seed);
  for (int step = 0; step < 12; ++step) {
    for (TokenField::Id id = 0; id < ring.tokens.size(); ++id)
      field.effects(id);  // kept, and to be forgotten
    const auto placed = field.placed();
    if (placed.size() > 2 && rng.below(3) == 0) {
      field.remove(placed[rng.below(placed.size())]);
    } else {
      const auto id = static_cast<TokenField::Id>(rng.below(ring.tokens.size()));
      field.place(id, field.length(id) * rng.unit());
    }
    AllocationRing now = ring;
    std::vector<std::uint64_t> chosen;
    for (TokenField::Id id : field.placed()) chosen.push_back(field.at(id));
    now.join(group, 1, chosen);
    const auto held = held_by_unit(now);
    for (std::uint32_t u = 0; u <= units; ++u) RC_ASSERT(std::abs(held[u] - field.held(u)) < 1e-12);
    double squares = 0;
    for (std::size_t i = 0; i < now.tokens.size(); ++i) {
      const std::uint64_t before = now.tokens[(i + now.tokens.size() - 1) % now.tokens.size()].at;
      const double length = static_cast<double>(now.tokens[i].at - before) * 0x1p-64;
      squares += length * length;
    }
    RC_ASSERT(std::abs(squares - field.roughness()) < 1e-12);
  }
}

}  // namespace
}  // namespace arcwise
