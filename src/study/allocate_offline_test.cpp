// Clusters that are yet to be, doubling, and relief.
#include <cmath>
#include <set>

#include "arcwise/allocate.hpp"
#include "study/allocate_growing.hpp"
#include "study/allocate_shift.hpp"
#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace testing;

ClusterMap offline(std::vector<std::uint32_t> racks, std::uint32_t tokens, bool will_grow = false) {
  const auto map = allocate_offline({std::move(racks), tokens, 3, will_grow});
  if (!map) {
    ADD_FAILURE() << to_string(map.error());
    std::abort();
  }
  return *map;
}

Balance balance(const ClusterMap& map) {
  return ownership(compile(map)).balance;
}

TEST(AllocateOffline, racks_of_two_to_thirty_three_nodes_are_even) {
  for (std::uint32_t n = 2; n <= 33; ++n) {
    EXPECT_LE(balance(offline({n, n, n}, 16)).max_over_target, 1.000001) << n;
    EXPECT_GE(balance(offline({n, n, n}, 16)).min_over_target, 0.999999) << n;
  }
}

TEST(AllocateOffline, one_rack_unequal_racks_and_more_racks_than_copies_are_even) {
  EXPECT_LE(balance(offline({10}, 8)).max_over_target, 1.000001);
  EXPECT_LE(balance(offline({7, 5, 4}, 16)).max_over_target, 1.000001);
  EXPECT_LE(balance(offline({4, 4, 4, 4, 4, 4}, 16)).max_over_target, 1.000001);
  EXPECT_LE(balance(offline({3}, 4)).max_over_target, 1.000001);
}

TEST(AllocateOffline, nodes_are_dealt_in_turn_and_no_token_is_twice_or_the_minimum) {
  const ClusterMap map = offline({2, 1, 2}, 16);
  std::string racks;
  std::set<Token> tokens;
  for (const Node& n : map.nodes()) {
    racks += n.rack.back();
    tokens.insert(n.tokens.begin(), n.tokens.end());
  }
  EXPECT_EQ(racks, "01202");
  EXPECT_EQ(tokens.size(), 5U * 16U);
  EXPECT_EQ(tokens.count({0}), 0U);
}

// One node tells more than one neighbour what it fails to hold.
TEST(AllocateOffline, neighbours_differ_from_arc_to_arc) {
  const ClusterMap map = offline({8, 8, 8}, 16);
  const Placement placement = compile(map);
  std::set<NodeIndex> after;
  for (std::size_t i = 0; i < placement.entry_count(); ++i) {
    if (placement.entry(i).node != 0) continue;
    for (std::size_t j = i + 1; j < placement.entry_count(); ++j)
      if (map.nodes()[placement.entry(j).node].rack == "rack0") {
        after.insert(placement.entry(j).node);
        break;
      }
  }
  EXPECT_GE(after.size(), 3U);
}

TEST(AllocateOffline, a_ring_that_will_grow_is_even_now_and_after_six_joins) {
  for (std::uint32_t n : {2U, 5U, 9U}) {
    ClusterMap map = offline({n, n, n}, 16, true);
    EXPECT_LE(balance(map).max_over_target, 1.031) << n;
    for (int i = 0; i < 6; ++i) {
      AllocateRequest request;
      request.node.name = "more" + std::to_string(i);
      request.node.rack = "rack" + std::to_string(i % 3);
      map = allocate(map, request)->after;
    }
    EXPECT_LE(balance(map).max_over_target, 1.031) << n;
  }
}

TEST(AllocateOffline, what_cannot_be_even_is_refused_with_the_reason) {
  const auto why = [](OfflineRequest request) { return allocate_offline(request).error().why; };
  EXPECT_NE(why({{3, 3}, 16, 3}).find("fewer racks than copies"), std::string::npos);
  EXPECT_NE(why({{2}, 16, 3}).find("fewer nodes than copies"), std::string::npos);
  EXPECT_NE(why({{3, 0, 3}, 16, 3}).find("without nodes"), std::string::npos);
  EXPECT_NE(why({{3000}, 16, 3}).find("more nodes"), std::string::npos);
}

std::uint64_t arc_before(const Placement& p, std::size_t i) {
  const std::size_t before = i == 0 ? p.entry_count() - 1 : i - 1;
  return static_cast<std::uint64_t>(p.entry(i).token.value - p.entry(before).token.value);
}

TEST(Bisect, twelve_nodes_become_twenty_four_and_every_arc_is_halved_exactly) {
  ClusterMap before = offline({12}, 16, true);
  const auto doubling = bisect(before, "-twin", {});
  ASSERT_TRUE(doubling) << to_string(doubling.error());
  ASSERT_EQ(doubling->after.nodes().size(), 24U);
  const Placement was = compile(before), now = compile(doubling->after);
  ASSERT_EQ(now.entry_count(), 2 * was.entry_count());
  for (std::size_t i = 0; i < was.entry_count(); ++i) {
    EXPECT_EQ(now.entry(2 * i + 1).token, was.entry(i).token);
    EXPECT_EQ(now.entry(2 * i).node, was.entry(i).node + 12);
    EXPECT_EQ(arc_before(now, 2 * i), arc_before(was, i) / 2);
    EXPECT_EQ(arc_before(now, 2 * i) + arc_before(now, 2 * i + 1), arc_before(was, i));
  }
  EXPECT_EQ(doubling->twins[3].of, "node3");
  EXPECT_EQ(doubling->twins[3].name, "node3-twin");
}

TEST(Bisect, where_each_rack_holds_a_copy_every_node_gives_half_to_its_twin) {
  const ClusterMap before = offline({4, 4, 4}, 16, true);
  const auto doubling = bisect(before, "b", {});
  ASSERT_TRUE(doubling) << to_string(doubling.error());
  const Ownership was = ownership(compile(before)), now = ownership(compile(doubling->after));
  for (NodeIndex n = 0; n < 12; ++n) {
    EXPECT_NEAR(now.nodes[n].effective.value(), was.nodes[n].effective.value() / 2, 1e-9);
    EXPECT_NEAR(now.nodes[n + 12].effective.value(), was.nodes[n].effective.value() / 2, 1e-9);
  }
  EXPECT_EQ(bisect(before, "b", {"0000000000000000", {}}).error().kind, ErrorKind::refused);
}

TEST(Relieve, the_new_node_takes_half_of_one_and_little_of_others) {
  for (const auto& racks : {std::vector<std::uint32_t>{4, 4, 4}, std::vector<std::uint32_t>{12}}) {
    const ClusterMap before = offline(racks, 16, true);
    AllocateRequest request;
    request.node.name = "new";
    request.node.rack = "rack0";
    request.relieve = "node0";
    const auto allocation = allocate(before, request);
    ASSERT_TRUE(allocation) << to_string(allocation.error());
    const Ownership was = ownership(compile(before)), now = ownership(compile(allocation->after));
    const Allocation::Relief& relief = *allocation->relief;
    EXPECT_EQ(relief.before, was.nodes[0].effective.value());
    EXPECT_EQ(relief.after, now.nodes[0].effective.value());
    // In one rack a new node takes only what a node holds as the last of three owners.
    if (racks.size() == 3) {
      EXPECT_EQ(relief.least, relief.before / 2);
    }
    EXPECT_NEAR((relief.before - relief.after) / (relief.before - relief.least), 1, 0.02);
    for (NodeIndex n = 1; n < 12; ++n)
      EXPECT_NEAR(now.nodes[n].effective.value() / was.nodes[n].effective.value(), 1,
                  racks.size() == 1 ? 0.1 : 0.02)
          << n;
  }
}

TEST(Relieve, what_a_node_holds_as_the_last_owner_is_all_that_one_joiner_can_take) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    AllocationRing ring;
    ring.replicas = static_cast<std::uint32_t>(1 + rng.below(3));
    const auto tokens = [&] {
      std::vector<std::uint64_t> out(1 + rng.below(5));
      for (std::uint64_t& at : out) at = rng.next();
      return out;
    };
    for (std::uint32_t n = 0; n < 6; ++n) ring.join(static_cast<std::uint32_t>(rng.below(4)), 1, tokens());
    const auto unit = static_cast<std::uint32_t>(rng.below(6));
    const auto group = static_cast<std::uint32_t>(rng.below(5));  // one more than there are
    const double before = held_by_unit(ring)[unit], most = most_relief(ring, unit, group);
    AllocationRing joined = ring;
    joined.join(group, 1, tokens());
    EXPECT_LE(before - held_by_unit(joined)[unit], most + 1e-12);
    // With a token just before every one there is, it takes all of that.
    std::vector<std::uint64_t> everywhere;
    for (const HeldToken& t : ring.tokens) everywhere.push_back(t.at - 1);
    joined = ring;
    joined.join(group, 1, everywhere);
    EXPECT_NEAR(before - held_by_unit(joined)[unit], most, 1e-12);
  }
}

// As `./dev bench allocate` does for all sizes up to 100.
TEST(ExtraMovement, a_tenth_beside_the_join_keeps_sixteen_tokens_within_two_per_cent) {
  AllocationRing ring;
  for (std::uint32_t i = 0; i < 21; ++i) {
    ring.join(i, 1, arcwise_tokens(ring, {i, 1, 16, 0}));
    if (i < 3) continue;
    const double budget = 0.1 * held_by_unit(ring).back();
    const AllocationRing before = ring;
    const Shifted shifted = shift_tokens(ring, budget);
    EXPECT_LE(shifted.moved, budget * 1.000001);
    EXPECT_LE(evenness_of(ring).most, 1.02) << i + 1;
    EXPECT_EQ(ring.tokens.size(), before.tokens.size());
  }
}

TEST(ExtraMovement, what_it_moves_is_told_and_is_what_moves) {
  for (const auto& racks : {std::vector<std::uint32_t>{6, 6, 6}, std::vector<std::uint32_t>{18}}) {
    const ClusterMap before = offline(racks, 4, true);
    AllocateRequest request;
    request.node.name = "new";
    request.node.rack = "rack0";
    const auto plain = allocate(before, request);
    request.extra_movement = 0.1;
    const auto shifted = allocate(before, request);
    ASSERT_TRUE(plain && shifted);
    ASSERT_FALSE(shifted->shifts.empty());
    EXPECT_LE(shifted->balance_after.max_over_target, plain->balance_after.max_over_target);
    const Diff between = diff(compile(plain->after), compile(shifted->after), 1);
    EXPECT_NEAR(between.moved.value(), shifted->moved_beside, 1e-9);
    EXPECT_LE(shifted->moved_beside, 0.1 * plain->moved + 1e-9);
  }
}

TEST(Relieve, a_node_of_another_rack_cannot_be_relieved) {
  AllocateRequest request;
  request.node.name = "new";
  request.node.rack = "rack1";
  request.relieve = "node0";
  const auto refused = allocate(offline({4, 4, 4}, 4), request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().why.find("shares no ring"), std::string::npos);
  request.relieve = "nobody";
  EXPECT_NE(allocate(offline({4, 4, 4}, 4), request).error().why.find("no node"), std::string::npos);
}

}  // namespace
}  // namespace arcwise
