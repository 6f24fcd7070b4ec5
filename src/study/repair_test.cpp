#include "arcwise/repair.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "study/rng.hpp"
#include "study/testing_maps.hpp"

namespace arcwise {
namespace {

using namespace testing;

constexpr u128 middle = u128{1} << 63;  // where a signed token of 0 stands

ClusterMap store(std::string_view recipe, std::vector<Node> nodes, std::uint32_t replicas,
                 Across across = Across::node) {
  auto p = parts(recipe, std::move(nodes), replicas, across);
  p.replicas.when_short = WhenShort::repeat;
  return map_of(std::move(p));
}

// Tokens out of so few places that old and new ones meet and stand side by side.
std::vector<Node> random_nodes(Rng& rng, std::size_t count, std::set<std::uint64_t>& taken) {
  std::vector<Node> out;
  for (std::size_t n = 0; n < count; ++n) {
    Node node = testing::node(numbered("n", n), 1, "r" + std::to_string(rng.below(3)));
    for (std::size_t t = 1 + rng.below(3); t > 0; --t) {
      const std::uint64_t at = rng.below(40) * (~std::uint64_t{0} / 39);
      if (taken.insert(at).second) node.tokens.push_back({at});
    }
    std::sort(node.tokens.begin(), node.tokens.end());
    if (!node.tokens.empty()) out.push_back(std::move(node));
  }
  return out;
}

// Some leave, some come back elsewhere, one joins.
std::vector<Node> changed(Rng& rng, const std::vector<Node>& nodes) {
  std::vector<Node> out;
  std::set<std::uint64_t> taken;
  for (const Node& node : nodes) {
    if (rng.below(4) == 0) continue;
    out.push_back(node);
    for (Token& t : out.back().tokens)
      if (rng.below(3) == 0) t.value -= std::min<u128>(t.value, 1 + rng.below(1000));
    for (Token t : out.back().tokens) taken.insert(static_cast<std::uint64_t>(t.value));
  }
  for (Node& node : random_nodes(rng, 1, taken)) {
    node.name = "joiner" + std::to_string(rng.next());
    out.push_back(std::move(node));
  }
  return out;
}

std::set<std::string> owners_at(const Placement& placement, u128 at) {
  const auto names = owner_names(placement, {at});
  return {names.begin(), names.end()};
}

bool inside(const Region& r, u128 at) {
  return r.after < r.upto ? at > r.after.value && at <= r.upto.value
                          : at > r.after.value || at <= r.upto.value;
}

struct Case {
  std::vector<Placement> stages;
  std::vector<u128> positions;  // every end of a region and the position after it
};
std::optional<Case> random_case(std::uint64_t seed, std::size_t steps) {
  Rng rng(seed);
  std::set<std::uint64_t> taken;
  std::vector<Node> nodes = random_nodes(rng, 2 + rng.below(6), taken);
  const auto replicas = static_cast<std::uint32_t>(1 + rng.below(3));
  const Across across = rng.below(2) ? Across::rack : Across::node;
  Case out;
  for (std::size_t i = 0; i <= steps; ++i) {
    if (nodes.empty()) return std::nullopt;
    out.stages.push_back(compile(store("cassandra-murmur3", nodes, replicas, across)));
    nodes = changed(rng, nodes);
  }
  for (const Placement& p : out.stages)
    for (std::size_t i = 0; i < p.region_count(); ++i)
      for (u128 at : {p.region(i).upto.value, u128{p.region(i).upto.value + 1}})
        out.positions.push_back(at > p.map().space().last ? 0 : at);
  return out;
}

RC_GTEST_PROP(Repair, lists_exactly_the_keys_that_an_owner_did_not_have_all_along, ()) {
  const auto c = random_case(*rc::gen::arbitrary<std::uint64_t>(), 1 + *rc::gen::inRange<std::size_t>(0, 2));
  if (!c) return;
  const auto ranges = repair_ranges(c->stages);
  const Placement& last = c->stages.back();
  for (u128 at : c->positions) {
    const auto listed = std::count_if(ranges.begin(), ranges.end(),
                                      [&](const RepairRange& r) { return inside(r.region, at); });
    bool gained = false;
    for (const std::string& owner : owners_at(last, at))
      for (const Placement& stage : c->stages) gained |= !owners_at(stage, at).contains(owner);
    RC_ASSERT(listed == (gained ? 1 : 0));
  }
}

RC_GTEST_PROP(Repair, each_range_lies_within_one_range_of_the_ring_to_come_and_is_run_by_an_owner, ()) {
  const auto c = random_case(*rc::gen::arbitrary<std::uint64_t>(), 1);
  if (!c) return;
  const auto ranges = repair_ranges(c->stages);
  const Placement& last = c->stages.back();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const RepairRange& r = ranges[i];
    const Region whole = last.region(last.region_at({r.region.upto.value}));
    RC_ASSERT(r.region.after == whole.after || inside(whole, r.region.after.value));
    if (r.region.after == r.region.upto) RC_ASSERT(last.region_count() == 1U);
    const auto owners = owners_at(last, r.region.upto.value);
    RC_ASSERT(owners.contains(last.map().nodes()[r.node].name));
    // The fewest: no range goes on where another of the same range of the ring ends.
    for (const RepairRange& other : ranges)
      RC_ASSERT(&other == &r || other.region.upto != r.region.after ||
                last.region_at({other.region.upto.value}) != last.region_at({r.region.upto.value}));
    // Run by one that needs nothing, where there is one.
    const bool kept = owners.size() > r.gained.size();
    RC_ASSERT(!kept || !std::count(r.gained.begin(), r.gained.end(), r.node));
  }
}

TEST(Repair, a_shifted_token_concerns_what_lies_between_its_places_alone) {
  std::vector<Node> nodes{node_at("a", {1000}), node_at("b", {2000}), node_at("c", {3000})};
  const Placement before = compile(store("cassandra-murmur3", nodes, 1));
  nodes[1].tokens = {{1500}};
  const auto ranges = repair_ranges({before, compile(store("cassandra-murmur3", nodes, 1))});
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].region, (Region{{1500}, {2000}}));
  EXPECT_EQ(ranges[0].node, 2U);
}

TEST(Repair, a_name_at_another_address_is_a_machine_that_has_nothing) {
  std::vector<Node> nodes{node_at("a", {1000}), node_at("b", {2000}), node_at("c", {3000})};
  for (std::size_t n = 0; n < 3; ++n) nodes[n].address = "10.0.0." + std::to_string(n);
  const Placement before = compile(store("cassandra-murmur3", nodes, 1));
  nodes[1].address = "10.0.0.9";
  const auto ranges = repair_ranges({before, compile(store("cassandra-murmur3", nodes, 1))});
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].region, (Region{{1000}, {2000}}));
}

TEST(Repair, what_wraps_is_two_commands_that_meet_at_the_minimum_token) {
  std::vector<Node> nodes{node_at("a", {static_cast<std::uint64_t>(middle)})};
  nodes[0].address = "10.0.0.1:7000";
  const Placement before = compile(store("cassandra-murmur3", nodes, 1));
  nodes.push_back(node_at("b", {9}));
  nodes[1].address = "10.0.0.2";
  nodes[1].tokens[0].value += middle + 100;
  const ClusterMap joined = store("cassandra-murmur3", nodes, 2);
  const auto ranges = repair_ranges({before, compile(joined)});
  ASSERT_EQ(ranges.size(), 2U);
  const auto commands = repair_commands(joined, ranges, "shop");
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[0].command, "nodetool -h 10.0.0.1 repair -full -st -9223372036854775808 -et 0 -- shop");
  EXPECT_EQ(commands[1].command, "nodetool -h 10.0.0.1 repair -full -st 109 -et 9223372036854775807 -- shop");
  EXPECT_EQ(commands[2].command, "nodetool -h 10.0.0.1 repair -full -st 0 -et 109 -- shop");
  EXPECT_NE(repair_commands(joined, ranges, "")[0].command.find("-- \"$KEYSPACE\""), std::string::npos);
}

TEST(Repair, random_partitioners_tokens_are_unsigned_and_begin_below_zero) {
  std::vector<Node> nodes{node_at("a", {0})};
  const Placement before = compile(store("cassandra-random", nodes, 1));
  nodes.push_back(node_at("b", {500}));
  const ClusterMap joined = store("cassandra-random", nodes, 2);
  const auto commands = repair_commands(joined, repair_ranges({before, compile(joined)}), "k");
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[0].after + " " + commands[0].upto, "-1 0");
  EXPECT_EQ(commands[1].after + " " + commands[1].upto, "500 170141183460469231731687303715884105728");
  EXPECT_EQ(commands[2].after + " " + commands[2].upto, "0 500");
}

TEST(Repair, a_name_that_a_shell_would_read_is_quoted) {
  std::vector<Node> nodes{node_at("a", {100}), node_at("b; rm", {200})};
  const Placement before = compile(store("scylladb-murmur3", {nodes[0]}, 1));
  const ClusterMap joined = store("scylladb-murmur3", nodes, 1);
  const auto commands = repair_commands(joined, repair_ranges({before, compile(joined)}), "k");
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].command.rfind("nodetool -h 'b; rm' repair", 0), 0U);
}

TEST(Repair, other_systems_and_unchanged_rings_have_nothing_to_repair) {
  EXPECT_TRUE(repair_ranges({compile(equal_arcs(4, 3)), compile(equal_arcs(5, 3))}).empty());
  const Placement ring = compile(store("cassandra-murmur3", {node_at("a", {5}), node_at("b", {7})}, 2));
  EXPECT_TRUE(repair_ranges({ring, ring}).empty());
}

TEST(Repair, a_node_has_a_session_for_each_range_it_holds) {
  std::vector<Node> nodes{node_at("a", {10, 40}), node_at("b", {20}), node_at("c", {30})};
  const auto held = ranges_held(compile(store("cassandra-murmur3", nodes, 2)));
  ASSERT_EQ(held.size(), 3U);
  EXPECT_EQ(held[0].primary, 2U);
  EXPECT_EQ(held[0].all, 3U);  // its own two, and the one that ends at 30
  EXPECT_EQ(held[1].primary, 1U);
  EXPECT_EQ(held[1].all, 3U);
  EXPECT_EQ(held[2].all, 2U);
}

}  // namespace
}  // namespace arcwise
