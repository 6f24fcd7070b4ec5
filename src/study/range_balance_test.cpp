// The balancer: what it promises on tables, loads and policies of all kinds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>

#include "arcwise/ranges.hpp"
#include "study/range_actions.hpp"
#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using testing::node;
using Kind = RangeAction::Kind;

constexpr u128 top = ~std::uint64_t{0};

ClusterMap equal_ranges(std::vector<Node> nodes, std::size_t count, std::uint32_t replicas, Across across) {
  auto p = testing::parts("ranges", std::move(nodes), replicas, across);
  const auto n = static_cast<NodeIndex>(p.nodes.size());
  for (std::size_t i = 0; i < count; ++i) {
    TableRow row{{(u128{1} << 64) * (i + 1) / count - 1}, {}};
    for (NodeIndex r = 0; r < replicas; ++r) row.owners.push_back((static_cast<NodeIndex>(i) + r) % n);
    p.placement.table.push_back(row);
  }
  return testing::map_of(std::move(p));
}

std::vector<Node> racked(std::size_t count, std::size_t racks) {
  std::vector<Node> nodes = testing::nodes(count);
  for (std::size_t i = 0; i < count; ++i) nodes[i].rack = "r" + std::to_string(i % racks);
  return nodes;
}

// Keys whose requests fall off as 1/rank, and whose sizes differ.
std::vector<KeyLoad> zipf(const ClusterMap& map, std::uint64_t seed, std::size_t count, double exponent) {
  Rng rng(seed);
  std::vector<KeyLoad> keys;
  for (std::size_t i = 0; i < count; ++i)
    keys.push_back(
        {"user" + std::to_string(seed) + "/" + std::to_string(i),
         {},
         {1000 / std::pow(static_cast<double>(i + 1), exponent), static_cast<double>(100 + rng.below(900))}});
  locate_keys(compile(map), keys);
  return keys;
}

Balancing balanced(const ClusterMap& map, const MeasuredLoad& load, const BalanceLimits& limits = {}) {
  auto done = balance_load(map, load, limits);
  if (!done) {
    ADD_FAILURE() << to_string(done.error());
    std::abort();
  }
  return *done;
}

std::optional<std::size_t> unit_at(const ClusterMap& map, Token upto) {
  return find_unit(map, to_text(map.space(), upto));
}

// The actions, one after another by the public changes of a table, make the table that the answer shows.
void expect_replay(const ClusterMap& map, const Balancing& done) {
  ClusterMap now = map;
  for (const RangeAction& a : done.actions) {
    const auto unit = unit_at(now, a.range.upto);
    const auto next = a.kind == Kind::split   ? split_range(now, a.at)
                      : a.kind == Kind::merge ? merge_ranges(now, a.at)
                                              : move_unit(now, unit.value_or(0), a.from, a.to);
    if (!next) RC_FAIL(to_string(next.error()));
    if (a.kind == Kind::move || a.kind == Kind::lead) RC_ASSERT(unit.has_value());
    now = *next;
  }
  const auto &x = now.placement().table, &y = done.after.placement().table;
  RC_ASSERT(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) RC_ASSERT(x[i].upto == y[i].upto && x[i].owners == y[i].owners);
}

// What keys alone say about a map, found by its own lookups.
std::vector<Load> loads_by_lookup(const ClusterMap& map, const std::vector<KeyLoad>& keys) {
  const Placement placement = compile(map);
  std::vector<Load> out(map.nodes().size());
  std::vector<NodeIndex> owners(placement.max_owners());
  for (const KeyLoad& key : keys) {
    const std::size_t n = placement.owners({key.key, placement.hash(key.key), {}}, owners);
    for (std::size_t i = 0; i < n; ++i) out[owners[i]].bytes += key.load.bytes;
    if (n) out[owners[0]].requests += key.load.requests;
  }
  return out;
}

void expect_never_hotter(const Balancing& done, double tolerance) {
  RC_ASSERT(done.requests.after <= std::max(done.requests.before, 1 + tolerance) + 1e-9);
  RC_ASSERT(done.bytes.after <= std::max(done.bytes.before, 1 + tolerance) + 1e-9);
  RC_ASSERT(done.requests.after >= done.requests.least - 1e-9);
}

RC_GTEST_PROP(BalanceLoad, of_zipf_keys_ends_within_a_tenth_of_the_mean_where_every_key_is_below_it,
              (std::uint64_t seed)) {
  Rng rng(seed);
  const std::size_t nodes = 3 + rng.below(8);
  const auto replicas = static_cast<std::uint32_t>(1 + rng.below(3));
  const ClusterMap map =
      equal_ranges(racked(nodes, nodes), nodes * (1 + rng.below(4)), replicas, Across::rack);
  MeasuredLoad load;
  load.keys = zipf(map, seed % 1000, 400, 0.7 + rng.unit() * 0.3);
  double requests = 0, hottest = 0;
  for (const KeyLoad& key : load.keys) {
    requests += key.load.requests;
    hottest = std::max(hottest, key.load.requests);
  }
  RC_PRE(hottest < 0.9 * requests / static_cast<double>(nodes));
  const Balancing done = balanced(map, load);
  RC_ASSERT(done.reached);
  RC_ASSERT(done.requests.after <= 1.1 + 1e-9 && done.bytes.after <= 1.1 + 1e-9);
  RC_ASSERT(!done.cause);
  expect_never_hotter(done, 0.1);
  expect_replay(map, done);
  RC_ASSERT(balanced(done.after, load).actions.empty());
  const std::vector<Load> seen = loads_by_lookup(done.after, load.keys);
  for (std::size_t n = 0; n < nodes; ++n) {
    RC_ASSERT(std::abs(seen[n].requests - done.nodes[n].after.requests) < 1e-6 * requests);
    RC_ASSERT(std::abs(seen[n].bytes - done.nodes[n].after.bytes) < 1e-3);
  }
}

RC_GTEST_PROP(BalanceLoad, names_the_key_that_alone_is_the_cause, (std::uint64_t seed)) {
  Rng rng(seed);
  const std::size_t nodes = 3 + rng.below(5);
  const ClusterMap map = equal_ranges(testing::nodes(nodes), 2 * nodes, 1, Across::node);
  MeasuredLoad load;
  load.keys = zipf(map, seed % 1000, 200, 0.5);
  double others = 0;
  for (const KeyLoad& key : load.keys) others += key.load.requests;
  const double mean_of_others = others / static_cast<double>(nodes - 1);
  load.keys.push_back({"celebrity", {}, {(1.2 + rng.unit()) * mean_of_others, 0}});
  for (KeyLoad& key : load.keys) key.load.bytes = 0;  // else they may be what keeps others from leaving
  locate_keys(compile(map), load.keys);
  const Balancing done = balanced(map, load);
  RC_ASSERT(!done.reached);
  RC_ASSERT(done.cause.has_value());
  RC_ASSERT(done.cause->kind == LoadCause::Kind::one_key);
  RC_ASSERT(done.cause->key == "celebrity");
  RC_ASSERT(std::abs(done.cause->over_fair - done.requests.least) < 1e-9);
  RC_ASSERT(done.requests.after <= done.requests.least * 1.02);  // everything else went elsewhere
  expect_never_hotter(done, 0.1);
  expect_replay(map, done);
}

// Tables with rows anywhere, racks as many as copies or more, weights, loads with and without keys.
struct RandomCase {
  ClusterMap map;
  MeasuredLoad load;
};
RandomCase random_case(Rng& rng) {
  const std::size_t racks = 3 + rng.below(2), nodes = 2 * racks + rng.below(3);
  auto p = testing::parts("ranges", racked(nodes, racks), 3, Across::rack);
  for (Node& n : p.nodes) n.weight = static_cast<double>(1 + rng.below(2));
  std::vector<u128> ends;
  for (std::size_t i = 0; i < 1 + rng.below(12); ++i) ends.push_back(rng.next() >> 1);
  if (rng.below(3)) ends.push_back(top);
  std::sort(ends.begin(), ends.end());
  MeasuredLoad load;
  for (u128 end : ends) {
    TableRow row{{end}, {}};
    const std::size_t first = rng.below(racks);
    for (std::size_t r = 0; r < 3; ++r) row.owners.push_back(static_cast<NodeIndex>((first + r) % racks));
    if (rng.below(2)) std::swap(row.owners[0], row.owners[2]);
    p.placement.table.push_back(row);
    load.units.push_back({static_cast<double>(rng.below(1000)), static_cast<double>(rng.below(1000))});
  }
  ClusterMap map = testing::map_of(std::move(p));
  if (rng.below(2)) load.keys = zipf(map, rng.below(1000), 100, 1);
  if (!load.keys.empty() && rng.below(2)) load.units.clear();
  if (load.keys.empty()) load.units[0].requests += 1;
  return {std::move(map), std::move(load)};
}

RC_GTEST_PROP(BalanceLoad, keeps_copies_apart_and_never_raises_the_hottest, (std::uint64_t seed)) {
  Rng rng(seed);
  const RandomCase c = random_case(rng);
  BalanceLimits limits;
  limits.tolerance = 0.1 + 0.4 * rng.unit();
  if (rng.below(2)) limits.max_range_bytes = 300;
  if (rng.below(2)) limits.min_range_bytes = 100;
  if (rng.below(3) == 0) limits.max_moves = rng.below(5);
  if (rng.below(3) == 0) limits.max_bytes = static_cast<double>(rng.below(2000));
  const Balancing done = balanced(c.map, c.load, limits);
  for (const TableRow& row : done.after.placement().table) {
    std::set<std::string> racks;
    for (NodeIndex n : row.owners) racks.insert(c.map.nodes()[n].rack);
    RC_ASSERT(row.owners.size() == 3 && racks.size() == 3);
  }
  expect_never_hotter(done, limits.tolerance);
  expect_replay(c.map, done);
  std::uint64_t moves = 0;
  for (const RangeAction& a : done.actions) moves += a.kind == Kind::move || a.kind == Kind::lead;
  RC_ASSERT(moves <= limits.max_moves || limits.max_range_bytes > 0);
  RC_ASSERT(done.moved_bytes <= limits.max_bytes + 1e-6);
  double before = 0, after = 0;
  for (const auto& n : done.nodes) before += n.before.bytes, after += n.after.bytes;
  RC_ASSERT(std::abs(before - after) < 1e-6 * (1 + before));
}

// The hottest node of the best of all ways to place whole units on nodes, one copy each.
double brute_force(const std::vector<Load>& units, std::size_t nodes) {
  double best = 1e300, total = 0;
  std::vector<double> loads(nodes);
  for (const Load& u : units) total += u.requests;
  const std::function<void(std::size_t)> place = [&](std::size_t unit) {
    if (unit == units.size()) {
      best = std::min(best, *std::max_element(loads.begin(), loads.end()));
      return;
    }
    for (double& load : loads) {
      load += units[unit].requests;
      if (load < best) place(unit + 1);
      load -= units[unit].requests;
    }
  };
  place(0);
  return best * static_cast<double>(nodes) / total;
}

TEST(BalanceLoad, of_whole_partitions_comes_near_the_best_of_all_ways) {
  double worst = 1;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const std::size_t nodes = 2 + rng.below(2), count = nodes + rng.below(6);
    auto p = testing::parts("partitions", testing::nodes(nodes));
    MeasuredLoad load;
    for (std::size_t i = 0; i < count; ++i) {
      p.placement.table.push_back({{((u128{1} << 64) * (i + 1) + count - 1) / count - 1},
                                   {static_cast<NodeIndex>(rng.below(nodes))}});
      load.units.push_back({static_cast<double>(1 + rng.below(20)), 1});
    }
    const ClusterMap map = testing::map_of(std::move(p));
    const Balancing done = balanced(map, load);
    const double best = brute_force(load.units, nodes);
    EXPECT_GE(done.requests.after, best - 1e-9) << seed;
    EXPECT_LE(done.requests.least, best + 1e-9) << seed;
    worst = std::max(worst, done.requests.after / std::max(best, 1.1));
  }
  EXPECT_LT(worst, 1.2);
}

TEST(BalanceLoad, splits_the_hot_range_at_the_key_that_halves_it) {
  const ClusterMap map = testing::table(testing::nodes(2), {{{top >> 1}, {0}}, {{top}, {1}}});
  MeasuredLoad load;
  for (std::uint64_t i = 0; i < 4; ++i) load.keys.push_back({"k" + std::to_string(i), {i * 10}, {25, 1}});
  const Balancing done = balanced(map, load);
  ASSERT_TRUE(done.reached);
  ASSERT_EQ(done.actions.size(), 2u);
  EXPECT_EQ(done.actions[0].kind, Kind::split);
  EXPECT_EQ(done.actions[0].at.value, 10u);
  EXPECT_EQ(done.actions[1].kind, Kind::move);
  EXPECT_EQ(done.actions[1].load.requests, 50);
  EXPECT_DOUBLE_EQ(done.requests.before, 2);
  EXPECT_DOUBLE_EQ(done.requests.after, 1);
}

TEST(BalanceLoad, a_key_too_large_for_the_room_anywhere_goes_where_room_is_made) {
  const ClusterMap map = testing::table(testing::nodes(3), {{{99}, {0}}, {{199}, {1}}, {{top}, {2}}});
  MeasuredLoad load;
  const auto add = [&](std::uint64_t at, double requests) {
    load.keys.push_back({"k" + std::to_string(at), {at}, {requests, 0}});
  };
  add(10, 75);
  add(20, 44);
  for (std::uint64_t i = 0; i < 10; ++i) add(100 + i, 9);
  for (std::uint64_t i = 0; i < 13; ++i) add(200 + i, 7);
  const Balancing done = balanced(map, load);
  EXPECT_NEAR(done.requests.before, 1.19, 0.01);
  EXPECT_TRUE(done.reached);
}

TEST(BalanceLoad, splits_at_the_middle_where_no_key_is_known) {
  const ClusterMap map = testing::table(testing::nodes(2), {{{top}, {0}}});
  const Balancing done = balanced(map, {{{100, 100}}, {}});
  ASSERT_EQ(done.actions.size(), 2u);
  EXPECT_EQ(done.actions[0].at.value, top >> 1);
  EXPECT_TRUE(done.reached);
}

TEST(BalanceLoad, another_first_owner_costs_no_bytes) {
  const ClusterMap map = testing::table(testing::nodes(2), {{{top >> 1}, {0, 1}}, {{top}, {0, 1}}}, 2);
  const Balancing done = balanced(map, {{{50, 1000}, {50, 1000}}, {}});
  ASSERT_EQ(done.actions.size(), 1u);
  EXPECT_EQ(done.actions[0].kind, Kind::lead);
  EXPECT_EQ(done.moved_bytes, 0);
  EXPECT_TRUE(done.reached);
}

TEST(BalanceLoad, a_range_of_a_thousandth_of_space_with_the_load_of_a_node_is_one_key_by_appearance) {
  const ClusterMap map = testing::table(
      testing::nodes(3), {{{top >> 20}, {0}}, {{top >> 1}, {0}}, {{top - (top >> 2)}, {1}}, {{top}, {2}}});
  const Balancing done = balanced(map, {{{200, 1}, {10, 1}, {10, 1}, {10, 1}}, {}});
  ASSERT_TRUE(done.cause);
  EXPECT_EQ(done.cause->kind, LoadCause::Kind::one_unit);
  EXPECT_EQ(done.cause->range.upto.value, top >> 20);
  EXPECT_NEAR(done.requests.after, done.requests.least, 0.05);
}

TEST(BalanceLoad, what_was_split_for_its_size_is_not_merged_again) {
  const ClusterMap map = testing::table(testing::nodes(2), {{{top >> 1}, {0}}, {{top}, {1}}});
  BalanceLimits limits;
  limits.max_range_bytes = 100;
  limits.min_range_bytes = 50;
  const Balancing split = balanced(map, {{{10, 110}, {10, 110}}, {}}, limits);
  ASSERT_EQ(split.actions.size(), 2u);
  const Balancing again = balanced(split.after, {{{5, 55}, {5, 55}, {5, 55}, {5, 55}}, {}}, limits);
  EXPECT_TRUE(again.actions.empty());
  const Balancing cold = balanced(split.after, {{{0, 20}, {0, 20}, {0, 20}, {0, 35}}, {}}, {0.5, 100, 0, 50});
  ASSERT_EQ(cold.actions.size(), 1u);
  EXPECT_EQ(cold.actions[0].kind, Kind::merge);
  EXPECT_EQ(cold.actions[0].range.upto.value, top >> 1);
}

TEST(BalanceLoad, a_slot_moves_whole_with_the_masters_replicas) {
  auto p = testing::parts("redis-cluster", {node("a"), node("b"), node("ra"), node("rb")}, 2);
  p.placement.slots = 16384;
  p.placement.table = {{{8191}, {0, 2}}, {{16383}, {1, 3}}};
  p.epoch = 7;
  const ClusterMap map = testing::map_of(std::move(p));
  MeasuredLoad load;
  load.units.resize(16384);
  for (std::size_t s : {100u, 101u, 102u, 103u}) load.units[s] = {100, 10};
  const Balancing done = balanced(map, load);
  EXPECT_TRUE(done.reached);
  EXPECT_EQ(done.after.epoch(), 8u);
  ASSERT_EQ(done.actions.size(), 1u);
  EXPECT_EQ(done.actions[0].load.requests, 200);
  for (const TableRow& row : done.after.placement().table)
    EXPECT_EQ(row.owners, (row.owners[0] == 0 ? std::vector<NodeIndex>{0, 2} : std::vector<NodeIndex>{1, 3}));
  load.units[100].requests = 10'000;
  const Balancing hot = balanced(map, load);
  ASSERT_TRUE(hot.cause);
  EXPECT_EQ(hot.cause->kind, LoadCause::Kind::one_unit);
  EXPECT_EQ(hot.cause->range.upto.value, 100u);
}

TEST(BalanceLoad, a_tablet_moves_whole_and_is_never_split) {
  auto p = testing::parts("scylladb-tablets", racked(6, 3), 3, Across::rack);
  for (u128 i = 0; i < 8; ++i) p.placement.table.push_back({{(u128{1} << 61) * (i + 1) - 1}, {0, 1, 2}});
  const ClusterMap map = testing::map_of(std::move(p));
  const Balancing done = balanced(map, {std::vector<Load>(8, Load{0, 5e9}), {}});
  EXPECT_TRUE(done.reached);
  EXPECT_EQ(done.after.placement().table.size(), 8u);
  EXPECT_DOUBLE_EQ(done.bytes.before, 2);
  EXPECT_DOUBLE_EQ(done.bytes.after, 1);
  for (const RangeAction& a : done.actions) EXPECT_TRUE(a.kind == Kind::move || a.kind == Kind::lead);
  const auto limited = balance_load(map, {std::vector<Load>(8, Load{0, 5e9}), {}}, {0.1, 1e9});
  ASSERT_FALSE(limited.ok());
  EXPECT_NE(to_string(limited.error()).find("all tablets of a table at once"), std::string::npos);
}

TEST(MeasureChange, is_what_a_change_by_hand_does_to_the_load) {
  const ClusterMap map = testing::table(testing::nodes(2), {{{top >> 1}, {0}}, {{top}, {1}}});
  const MeasuredLoad load{{{80, 40}, {20, 40}}, {}};
  const auto split = split_range(map, {top >> 2});
  ASSERT_TRUE(split.ok());
  const auto moved = move_unit(*split, 0, 0, 1);
  ASSERT_TRUE(moved.ok());
  const Balancing done = measure_change(map, load, *moved);
  EXPECT_DOUBLE_EQ(done.requests.before, 1.6);
  EXPECT_DOUBLE_EQ(done.requests.after, 1.2);
  EXPECT_DOUBLE_EQ(done.nodes[0].after.bytes, 20);
  EXPECT_DOUBLE_EQ(done.moved_bytes, 20);
  const Balancing same = measure_change(map, load, map);
  EXPECT_EQ(same.moved_bytes, 0);
  EXPECT_DOUBLE_EQ(same.requests.after, same.requests.before);
}

TEST(RelievingOrder, room_is_made_before_it_is_needed_and_splits_stay_first) {
  const auto action = [](Kind kind, std::uint64_t upto, NodeIndex from, NodeIndex to, double requests) {
    return RangeAction{kind, {{upto - 1}, {upto}}, {}, from, to, {requests, 0}};
  };
  const FairShares shares{{true, true, true}, std::vector<Load>(3, Load{60, 0})};
  const auto order =
      relieving_order({action(Kind::split, 1, no_node, no_node, 0), action(Kind::move, 2, 0, 1, 50),
                       action(Kind::move, 3, 1, 2, 30), action(Kind::lead, 3, 2, 1, 10)},
                      {{90, 0}, {90, 0}, {0, 0}}, shares, 1.1);
  ASSERT_EQ(order.size(), 4u);
  EXPECT_EQ(order[0].kind, Kind::split);
  EXPECT_EQ(order[1].range.upto.value, 3u);
  EXPECT_EQ(order[1].kind, Kind::move);
  EXPECT_EQ(order[2].kind, Kind::lead);
  EXPECT_EQ(order[3].range.upto.value, 2u);
}

TEST(BalanceLoad, new_nodes_fill_and_joining_or_frozen_ones_do_not) {
  auto p = testing::parts("ranges", testing::nodes(4));
  p.nodes[2].state = NodeState::joining;
  p.placement.table = {{{top}, {0}}};
  const ClusterMap map = testing::map_of(std::move(p));
  BalanceLimits limits;
  limits.frozen = NodeSet(4);
  limits.frozen.insert(3);
  const Balancing done = balanced(map, {{{100, 100}}, {}}, limits);
  EXPECT_TRUE(done.reached);
  EXPECT_GT(done.nodes[1].after.requests, 40);
  EXPECT_EQ(done.nodes[2].after.requests, 0);
  EXPECT_EQ(done.nodes[3].after.requests, 0);
}

TEST(BalanceLoad, is_refused_with_the_reason) {
  const auto why = [](const ClusterMap& map, const MeasuredLoad& load, const BalanceLimits& limits = {}) {
    const auto done = balance_load(map, load, limits);
    return done ? std::string() : to_string(done.error());
  };
  const ClusterMap map = testing::table(testing::nodes(2), {{{top}, {0}}});
  EXPECT_NE(why(map, {{{0, 0}}, {}}).find("no load is measured"), std::string::npos);
  EXPECT_NE(why(testing::hashed_ring(testing::nodes(2), 4), {{{1, 1}}, {}}).find("derives owners"),
            std::string::npos);
  BalanceLimits limits;
  limits.max_range_bytes = 100;
  limits.min_range_bytes = 60;
  EXPECT_NE(why(map, {{{1, 1}}, {}}, limits).find("more than half"), std::string::npos);
}

}  // namespace
}  // namespace arcwise
