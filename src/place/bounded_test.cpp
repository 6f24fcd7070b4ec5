// No node above its part, and the sequences that HAProxy and Envoy give.
#include "arcwise/bounded.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "place/envoy_shuffle.hpp"
#include "place/vectors_testing.hpp"

namespace arcwise {
namespace {

using namespace testing;

Query query_of(const Placement& p, std::string_view key, const NodeMask& mask = {}) {
  return {key, p.hash(key), mask};
}

std::vector<Node> weighted(const std::vector<double>& weights) {
  std::vector<Node> out;
  for (std::size_t i = 0; i < weights.size(); ++i) out.push_back(node("n" + std::to_string(i), weights[i]));
  return out;
}

TEST(bounded, haproxy_answers_its_own_sequences_request_by_request) {
  std::size_t files = 0, requests = 0;
  for (const std::string& name : vector_files({"haproxy"})) {
    const Json file = Json::parse(file_text(vectors_dir() + name + ".json"));
    if (!file["config"].contains("hash-balance-factor")) continue;
    ++files;
    std::vector<Node> servers;
    for (const Json& server : file["servers"]) {
      servers.push_back(node(server["name"].get<std::string>(), server["weight"].get<double>()));
      servers.back().bucket = server["id"].get<std::uint64_t>();
    }
    const Bounded bounded(
        compile(map_of(parts("haproxy-consistent", servers))),
        {BoundRule::haproxy, file["config"]["hash-balance-factor"].get<std::uint32_t>(), {}});
    std::vector<std::uint64_t> loads(servers.size());
    for (const Json& step : file["sequence"]) {
      const auto key = step[0].get<std::string>();
      const NodeIndex got = bounded.pick(query_of(bounded.placement(), key), loads);
      ASSERT_NE(got, no_node);
      EXPECT_EQ(servers[got].name, step[1].get<std::string>()) << name << " " << key << " after " << requests;
      ++loads[got];
      ++requests;
    }
  }
  EXPECT_EQ(files, 6u);
  EXPECT_EQ(requests, 360u);
}

TEST(bounded, envoy_passes_over_hosts_in_the_order_of_its_own_tests) {
  const Json file = Json::parse(file_text(vectors_dir() + "envoy-bounded-load-shuffle.json"));
  std::size_t orders = 0;
  for (const auto& [name, order] : file["shuffle"].items()) {
    unsigned seed = 0, hosts = 0;
    ASSERT_EQ(std::sscanf(name.c_str(), "seed %u, %u hosts", &seed, &hosts), 2);
    EnvoyShuffle shuffle(seed, hosts);
    std::vector<NodeIndex> got;
    for (unsigned i = 0; i < hosts; ++i) got.push_back(shuffle.next());
    EXPECT_EQ(got, order.get<std::vector<NodeIndex>>()) << name;
    ++orders;
  }
  EXPECT_EQ(orders, 3u);
}

TEST(bounded, the_twister_is_the_one_of_the_standard_library) {
  MersenneTwister own(4357);
  std::mt19937 standard(4357);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(own.next(), standard()) << i;
}

TEST(bounded, a_shuffle_visits_every_host_once) {
  for (std::uint32_t hosts : {1u, 2u, 255u, 256u, 257u, 1000u}) {
    EnvoyShuffle shuffle(99, hosts);
    std::vector<bool> met(hosts);
    for (std::uint32_t i = 0; i < hosts; ++i) {
      const NodeIndex n = shuffle.next();
      ASSERT_LT(n, hosts);
      EXPECT_FALSE(met[n]) << hosts << " " << n;
      met[n] = true;
    }
  }
}

// ⌈1.25 · 8 · 1/4⌉ = 3 with seven in progress, and of weights 3 and 1 (each of four) ⌈1.5 · 5 · 3/4⌉ = 6
// and 2.
TEST(bounded, caps_are_the_factor_times_the_nodes_part_rounded_up) {
  const Bounded equal(compile(map_of(parts("ring", weighted({1, 1, 1, 1})))), {BoundRule::arcwise, 125, {}});
  const std::vector<std::uint64_t> seven{1, 2, 2, 2};
  EXPECT_EQ(equal.cap(0, seven, {}), 3u);
  const Bounded unequal(compile(map_of(parts("ring", weighted({3, 1})))), {BoundRule::arcwise, 150, {}});
  const std::vector<std::uint64_t> four{3, 1};
  EXPECT_EQ(unequal.cap(0, four, {}), 6u);
  EXPECT_EQ(unequal.cap(1, four, {}), 2u);
  NodeSet down(2);
  down.insert(0);
  EXPECT_EQ(unequal.cap(1, four, NodeMask(down)), 3u);  // its own load alone counts: ⌈1.5 · 2⌉
  EXPECT_EQ(unequal.cap(0, four, NodeMask(down)), 0u);
}

// Of 110 with c = 1 (109 in progress) 1e-6 gets 100 and 1e-7 gets 10, though neither is a whole number of
// units.
TEST(bounded, caps_follow_small_weights_as_large_ones) {
  const std::vector<std::uint64_t> loads{100, 9};
  for (const double scale : {1e-6, 1e-3, 1.0, 1e6}) {
    const Bounded bounded(
        compile(map_of(parts("ring", weighted({1 * scale, 0.1 * scale}), 1, Across::node, 1))),
        {BoundRule::arcwise, 100, {}});
    EXPECT_EQ(bounded.cap(0, loads, {}), 100u) << scale;
    EXPECT_EQ(bounded.cap(1, loads, {}), 10u) << scale;
  }
}

// Caps of c = 1 add up to what is in progress and the next one, or somebody would be turned away.
RC_GTEST_PROP(bounded, parts_rounded_up_always_add_up_to_all, ()) {
  const auto exponents = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-28, 10)));
  std::vector<double> weights;
  for (const int e : exponents) weights.push_back(std::ldexp(1 + *rc::gen::inRange(0, 1000) / 1000.0, e));
  const Bounded bounded(compile(map_of(parts("ring", weighted(weights), 1, Across::node, 1))),
                        {BoundRule::arcwise, 100, {}});
  std::vector<std::uint64_t> loads;
  u128 total = 1, caps = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    loads.push_back(*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << *rc::gen::inRange(1, 50)));
  for (const std::uint64_t load : loads) total += load;
  for (NodeIndex n = 0; n < weights.size(); ++n) caps += bounded.cap(n, loads, {});
  RC_ASSERT(caps >= total);
}

TEST(bounded, bounds_and_loads_of_any_size_leave_somebody_room) {
  const Placement p = compile(map_of(parts("ring", weighted({3, 1, 2}))));
  const std::uint64_t huge = std::uint64_t{1} << 60;
  for (BoundRule rule : {BoundRule::arcwise, BoundRule::haproxy, BoundRule::envoy})
    for (std::uint32_t percent : {0u, 1u, 99u, 100u, 65535u, 65536u, ~0u})
      for (const std::vector<std::uint64_t>& loads :
           {std::vector<std::uint64_t>{}, {7}, {huge, huge, huge}, {0, huge, 0}, {1, 2, 3, 4, 5}}) {
        const Bounded bounded(p, {rule, percent, {}});
        EXPECT_LT(bounded.pick(query_of(p, "k"), loads), 3u) << percent;
        EXPECT_EQ(bounded.cap(3, loads, {}), 0u);
      }
  EXPECT_EQ(Bounded(p, {BoundRule::arcwise, 1, {}}).bound().percent, 100u);
  EXPECT_EQ(Bounded(p, {BoundRule::arcwise, ~0u, {}}).bound().percent, 65535u);
}

TEST(bounded, nodes_beyond_a_short_list_have_no_load_and_no_limit) {
  const Placement p = compile(map_of(parts("ring", weighted({1, 1, 1}))));
  const Bounded bounded(p, {BoundRule::arcwise, 100, {0}});
  const std::vector<std::uint64_t> first{5}, all{5, 0, 0};
  for (NodeIndex n = 0; n < 3; ++n) EXPECT_EQ(bounded.cap(n, first, {}), bounded.cap(n, all, {}));
  EXPECT_EQ(bounded.cap(0, all, {}), 0u);
  for (int k = 0; k < 50; ++k) {
    const std::string key = "k" + std::to_string(k);
    EXPECT_EQ(bounded.pick(query_of(p, key), first), bounded.pick(query_of(p, key), all));
  }
}

TEST(bounded, nodes_of_zones_that_hold_nothing_take_nothing) {
  std::vector<Node> nodes = weighted({1, 1, 1, 1, 1, 1});
  for (std::size_t i = 0; i < 6; ++i) nodes[i].zone = i % 2 ? "b" : "a";
  for (const char* recipe : {"ring", "rendezvous", "maglev", "jump", "multi-probe", "envoy-ring-hash"}) {
    auto map = parts(recipe, nodes);
    map.replicas.per_zone = {{"a", 1}};
    const Placement p = compile(map_of(map));
    const bool envoy = p.map().placement().recipe->name == "envoy-ring-hash";
    const Bounded bounded(p, {envoy ? BoundRule::envoy : BoundRule::arcwise, 100, {}});
    std::vector<std::uint64_t> loads(6);
    for (int k = 0; k < 60; ++k) {
      const std::string key = "k" + std::to_string(k);
      EXPECT_EQ(bounded.pick(query_of(p, key), {}), p.owner(key)) << recipe;
      const NodeIndex n = bounded.pick(query_of(p, key), loads);
      ASSERT_NE(n, no_node);
      ++loads[n];
    }
    EXPECT_EQ(loads, (std::vector<std::uint64_t>{20, 0, 20, 0, 20, 0})) << recipe;
    EXPECT_EQ(bounded.cap(1, loads, {}), 0u);
  }
}

TEST(bounded, no_room_is_only_said_when_all_are_masked_or_at_their_most) {
  const Placement p = compile(map_of(parts("ring", weighted({1, 1, 1}))));
  const std::vector<std::uint64_t> loads{5, 5, 5};
  NodeSet all(3), two(3);
  for (NodeIndex n = 0; n < 3; ++n) all.insert(n);
  two.insert(0), two.insert(1);
  const Bounded open(p, {BoundRule::arcwise, 100, {}});
  EXPECT_EQ(open.pick(query_of(p, "k", NodeMask(all)), loads), no_node);
  EXPECT_EQ(open.pick(query_of(p, "k", NodeMask(two)), loads), 2u);
  EXPECT_EQ(Bounded(p, {BoundRule::arcwise, 100, {5, 5, 5}}).pick(query_of(p, "k"), loads), no_node);
  EXPECT_EQ(Bounded(p, {BoundRule::arcwise, 300, {5, 6, 5}}).pick(query_of(p, "k"), loads), 1u);
}

TEST(bounded, keys_stay_with_their_owner_while_it_has_room) {
  const Placement p = compile(map_of(parts("ring", weighted({1, 1, 1, 1, 1}))));
  const Bounded bounded(p, {BoundRule::arcwise, 125, {}});
  const std::vector<std::uint64_t> idle(5);
  for (int k = 0; k < 500; ++k) {
    const std::string key = "k" + std::to_string(k);
    EXPECT_EQ(bounded.pick(query_of(p, key), idle), p.primary(p.hash(key)));
  }
}

// The names that take a sequence of requests, which stay in progress.
std::vector<std::string> taken(std::vector<Node> nodes, BoundRule rule,
                               std::optional<NodeIndex> masked = {}) {
  const Bounded bounded(compile(map_of(parts("ring", std::move(nodes)))), {rule, 110, {}});
  std::vector<std::uint64_t> loads(bounded.placement().map().nodes().size());
  NodeSet down(loads.size());
  if (masked) down.insert(*masked);
  std::vector<std::string> out;
  for (int k = 0; k < 300; ++k) {
    const std::string key = "k" + std::to_string(k % 50);
    const NodeIndex n = bounded.pick(query_of(bounded.placement(), key, NodeMask(down)), loads);
    out.push_back(bounded.placement().map().nodes()[n].name);
    ++loads[n];
  }
  return out;
}

// The conformance suite proves it of Arcwise's rule over every placement.
TEST(bounded, of_the_promises_about_lists_and_masks_each_rule_keeps_what_is_declared_and_no_more) {
  const std::vector<Node> nodes = weighted({1, 2, 3, 1, 2});
  const std::vector<Node> reversed(nodes.rbegin(), nodes.rend()), fewer(nodes.begin() + 1, nodes.end());
  for (BoundRule rule : {BoundRule::arcwise, BoundRule::haproxy, BoundRule::envoy}) {
    const Traits kept = traits_under({rule, 110, {}}, {.order_free = true, .mask_is_removal = true});
    EXPECT_EQ(taken(nodes, rule) == taken(reversed, rule), kept.order_free) << static_cast<int>(rule);
    EXPECT_EQ(taken(nodes, rule, 0) == taken(fewer, rule), kept.mask_is_removal) << static_cast<int>(rule);
  }
}

// Whatever the placement, rule, weights and order of arrival: everybody is served, and nobody above its cap.
RC_GTEST_PROP(bounded, no_node_ever_goes_above_its_cap, ()) {
  const auto recipe =
      *rc::gen::element<std::string>("ring", "rendezvous", "maglev", "jump", "anchor", "memento",
                                     "multi-probe", "modulo", "envoy-ring-hash", "haproxy-consistent");
  const auto rule = *rc::gen::element(BoundRule::arcwise, BoundRule::haproxy, BoundRule::envoy);
  const auto weights = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 5));
  RC_PRE(weights.size() > 0 && weights.size() < 12);
  auto map = parts(recipe, weighted(std::vector<double>(weights.begin(), weights.end())));
  map.placement.tokens = map.placement.tokens ? 4 : 0;
  if (recipe == "maglev") map.placement.settings = {{"table_size", "251"}};
  const Placement p = compile(map_of(map));
  const Bounded bounded(p, {rule, *rc::gen::inRange<std::uint32_t>(101, 300), {}});
  std::vector<std::uint64_t> loads(weights.size());
  for (int k = 0; k < 60; ++k) {
    const std::string key = "k" + std::to_string(*rc::gen::inRange(0, 8));
    const NodeIndex n = bounded.pick(query_of(p, key), loads);
    RC_ASSERT(n != no_node);
    RC_ASSERT(loads[n] < bounded.cap(n, loads, {}));
    ++loads[n];
  }
}

}  // namespace
}  // namespace arcwise
